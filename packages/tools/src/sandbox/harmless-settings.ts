/** Settings of git that make it start nothing and look nowhere else: those of `git init` and of naming a person. */

/** By section and key, in lower case; the value must match. Whatever is not listed counts as harmful. */
const harmless: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  core: {
    repositoryformatversion: /^[01]$/,
    filemode: /^\w*$/,
    bare: /^\w*$/,
    logallrefupdates: /^\w*$/,
    ignorecase: /^\w*$/,
    precomposeunicode: /^\w*$/,
    symlinks: /^\w*$/,
    autocrlf: /^\w*$/,
    eol: /^\w*$/,
    sparsecheckout: /^\w*$/,
    sparsecheckoutcone: /^\w*$/,
  },
  index: { sparse: /^\w*$/ },
  extensions: { objectformat: /^\w*$/, refstorage: /^\w*$/ },
  user: { name: /^.*$/, email: /^.*$/ },
  init: { defaultbranch: /^[\w./-]*$/ },
  branch: { remote: /^[\w./-]*$/, merge: /^[\w./-]*$/, rebase: /^\w*$/ },
  remote: {
    url: /^(?:(?:https?|ssh|git):\/\/[^\s:]+[^\s]*|[\w.-]+@[\w.-]+:[\w./~-]+)$/,
    fetch: /^\+?[\w./*-]+:[\w./*-]+$/,
  },
};

/** Null, a text that could not be read, is not harmless. What this does not understand is not either. */
export function areHarmlessSettings(text: string | null): boolean {
  if (text === null) return false;
  let section = '';
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || /^[#;]/.test(line)) continue;
    const [, opened] = /^\[([A-Za-z]+)(?: "[^"\\]*")?\]$/.exec(line) ?? [];
    if (opened !== undefined) {
      section = opened.toLowerCase();
      continue;
    }
    const [, key = '', value = ''] = /^([A-Za-z][A-Za-z0-9-]*)\s*=\s*([^"\\]*)$/.exec(line) ?? [];
    const allowed = Object.hasOwn(harmless, section) ? harmless[section] : undefined;
    const name = key.toLowerCase();
    if (allowed === undefined || !Object.hasOwn(allowed, name) || allowed[name]?.test(value) !== true) return false;
  }
  return true;
}
