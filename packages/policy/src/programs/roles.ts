/** Which texts are known to be harmless in each role that a word can have. */
import type { Role } from './format.ts';
import { isPrintingAwk, plainFormat, plainJq, printingSed } from './scripts.ts';

const always = () => true;
const like = (pattern: RegExp) => (text: string) => pattern.test(text);

const plainWord = /^[\w@][\w.:@/+-]*$/;

const accepted: { readonly [Each in Role]: (text: string) => boolean } = {
  any: always,
  // Names and what they are set to; an array's value is evaluated.
  assign: like(/^[A-Za-z_][A-Za-z0-9_]*(?:\+?=(?!\s*\()[\s\S]*)?$/),
  awk: (text) => !text.startsWith('-') && isPrintingAwk(text),
  code: always,
  command: always,
  date: like(/^\+/),
  format: like(plainFormat),
  jq: like(plainJq),
  // `tar` takes what has a colon for a file of another machine.
  member: like(/^[^:]*$/),
  mode: like(/^[-+/]?[0-7ugoarwxstXST,=+-]+$/),
  // What has a version is fetched, and then run.
  module: like(/^[^@]*$/),
  name: like(/^[A-Za-z_][A-Za-z0-9_]*$/),
  number: like(/^[-+]?[0-9]*\.?[0-9]+[a-zA-Z%]{0,3}$/),
  option: like(/^(?:pipefail|errexit|nounset|noglob)$/),
  processes: like(/^[aux]{1,3}$/),
  program: always,
  read: always,
  // Others are programs that git runs: `ext::sh …`.
  remote: like(
    /^(?:(?:https?|ssh|git|file):\/\/[\w/][^\s]*|[\w.-]+@[\w.-]+:[\w./~-]+|[+\w./~@][\w./~+^@{}-]*(?::[\w./~^@{}-]*)?)$/,
  ),
  runnable: like(plainWord),
  sed: like(printingSed),
  seconds: like(/^[0-9]{1,3}(?:\.[0-9]+)?s?$/),
  // Those that hold no secret and are often asked for.
  setting: like(/^(?:user\.(?:name|email)|init\.defaultbranch|core\.[a-z]+|branch\.[^\s]+\.(?:remote|merge))$/i),
  // Of `dd`, all but what it writes.
  source: like(/^(?:if|bs|ibs|obs|cbs|count|skip|seek|status|conv|iflag)=/),
  sub: always,
  test: always,
  text: always,
  // Those that no program looks at; others have capitals, or an underscore (`http_proxy`).
  variable: like(/^[a-z][a-z0-9]*$/),
  word: like(plainWord),
  write: always,
};

/** Roles in which it makes no difference what the shell will put in. */
const open: ReadonlySet<Role> = new Set([
  'any',
  'code',
  'command',
  'number',
  'program',
  'read',
  'test',
  'text',
  'write',
]);

/** Whether a text is known to be harmless there; null is one that only the shell will know. */
export const isAccepted = (role: Role, text: string | null): boolean =>
  text === null ? open.has(role) : accepted[role](text);

/** Roles that name a path. */
export const pathRoles: ReadonlySet<Role> = new Set([
  'any',
  'code',
  'member',
  'module',
  'program',
  'read',
  'remote',
  'source',
  'write',
]);

/** Scripts: an option behind one is read by some programs as an option, and by others not. */
export const scriptRoles: ReadonlySet<Role> = new Set(['awk', 'sed']);

/** What is run: nobody calls that reading. */
export const runningRoles: ReadonlySet<Role> = new Set(['code', 'program']);
