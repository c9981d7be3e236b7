/** The agents that there are: built in, the user's, and the project's. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Agent, type Agents, builtinAgents } from '@pawl/engine';
import { isWiderMode, messageOf } from '@pawl/protocol';
import { parseConfig } from '../config/parse.ts';
import { projectConfigPath, userConfigPath } from '../config/paths.ts';
import { projectOf, readProjectFiles } from '../policy/project-files.ts';
import { badAgent, parseAgent } from './file.ts';

/** An agent, where it is from, and what of it does not take effect. */
export type FoundAgent = { agent: Agent; from: 'built in' | 'user' | 'project'; notes: readonly string[] };
export type AgentFiles = { found: readonly FoundAgent[]; problems: readonly string[] };

const fileName = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.md$/;

/** Read anew at each call. One that cannot be read is missing from the list, and its name throws `bad_agent`. */
export function openAgents(environment: NodeJS.ProcessEnv = process.env): Agents {
  return {
    async get(name, cwd) {
      const found = (await projectAgent(name, cwd, environment)) ?? (await userAgent(name, environment));
      return found?.agent ?? builtinAgents.find((agent) => agent.name === name) ?? null;
    },
    async list(cwd) {
      return (await readAgents(cwd, environment)).found.map(({ agent }) => agent);
    },
  };
}

/** All of them, sorted by name, of each name the one that counts; and the files that are wrong. */
export async function readAgents(cwd: string, environment: NodeJS.ProcessEnv = process.env): Promise<AgentFiles> {
  const folders = [userFolder(environment), join(projectOf(cwd), '.pawl', 'agents')];
  const names = new Set(builtinAgents.map(({ name }) => name));
  const found: FoundAgent[] = [];
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      for (const name of namesIn(folder)) names.add(name);
      problems.push(...badlyNamedIn(folder));
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  for (const name of [...names].sort((one, other) => (one < other ? -1 : 1))) {
    try {
      const one = await findOne(name, cwd, environment);
      if (one !== null) found.push(one);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return { found, problems };
}

/** @throws `bad_agent`. */
export async function findOne(
  name: string,
  cwd: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<FoundAgent | null> {
  const found = (await projectAgent(name, cwd, environment)) ?? (await userAgent(name, environment));
  if (found !== null) return found;
  const agent = builtinAgents.find((each) => each.name === name);
  return agent === undefined ? null : { agent, from: 'built in', notes: [] };
}

const userFolder = (environment: NodeJS.ProcessEnv) => join(dirname(userConfigPath(environment)), 'agents');

const namesIn = (folder: string): string[] => entriesOf(folder).flatMap((entry) => fileName.exec(entry)?.[1] ?? []);

function badlyNamedIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => /\.md$/i.test(entry) && !entry.startsWith('.') && !fileName.test(entry))
    .map((entry) => {
      const rule = 'an agent is named by its file: up to 64 letters, digits, "-" and "_", then .md';
      return badAgent(join(folder, entry), 1, rule).message;
    });
}

/** @throws `bad_agent` for what stands there and is no folder that can be read. */
function entriesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw badAgent(folder, 1, `it cannot be read: ${messageOf(cause)}`);
  }
}

async function userAgent(name: string, environment: NodeJS.ProcessEnv): Promise<FoundAgent | null> {
  const path = join(userFolder(environment), `${name}.md`);
  if (!fileName.test(`${name}.md`) || !existsSync(path)) return null;
  return { agent: await parseAgent(name, path, textIn(path)), from: 'user', notes: [] };
}

const maxBytes = 64 * 1024;

/** @throws `bad_agent`; a pipe is not waited for. */
function textIn(path: string): string {
  const status = statSync(path);
  if (!status.isFile()) throw badAgent(path, 1, 'it is no file');
  if (status.size > maxBytes) throw badAgent(path, 1, `it has more than ${maxBytes / 1024} KB`);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw badAgent(path, 1, `it cannot be read: ${messageOf(cause)}`);
  }
}

/** Untrusted, it only narrows, takes nobody's name, and its prompt is marked as somebody else's. */
async function projectAgent(name: string, cwd: string, environment: NodeJS.ProcessEnv): Promise<FoundAgent | null> {
  const folder = projectOf(cwd);
  const path = join(folder, '.pawl', 'agents', `${name}.md`);
  if (!fileName.test(`${name}.md`) || !existsSync(path)) return null;
  const files = readProjectFiles(folder);
  const file = files.agents.find((each) => each.name === name);
  const isTaken = async () =>
    builtinAgents.some((agent) => agent.name === name) || (await userAgent(name, environment)) !== null;
  if (file === undefined) {
    if (await isTaken()) return null;
    throw badAgent(path, 1, 'it cannot be read, leads out of the project, or is larger than 64 KB');
  }
  const { trustOf } = await import('../policy/trust.ts');
  const configPath = projectConfigPath(cwd);
  const settings = configPath === null ? {} : JSON.parse(JSON.stringify(await parseConfig(configPath)));
  const isTrusted = trustOf(folder, settings, environment, files).state === 'trusted';
  if (isTrusted) return { agent: await parseAgent(name, file.path, file.text), from: 'project', notes: [] };
  if (await isTaken()) return null;
  return narrowed(await parseAgent(name, file.path, file.text));
}

async function narrowed(agent: Agent): Promise<FoundAgent> {
  const { rules, permissionMode, prompt, source, model } = agent;
  const isWide = isWiderMode(permissionMode);
  const why = 'ignored, because you have not trusted it. Look at it with: pawl trust';
  const isRecording = model?.startsWith('replay:') === true;
  const notes = [
    ...(rules.allow.length > 0 ? [`rules.allow: ${why}`] : []),
    ...(isWide ? [`permission-mode: ${why}`] : []),
    ...(isRecording ? [`model: ${why}`] : []),
  ];
  return {
    agent: {
      ...agent,
      rules: { ...rules, allow: [] },
      permissionMode: isWide ? null : permissionMode,
      model: isRecording ? null : model,
      prompt: prompt === '' ? '' : await asInformation(prompt, source ?? ''),
    },
    from: 'project',
    notes,
  };
}

/** The words of a project that nobody has trusted. */
async function asInformation(text: string, source: string): Promise<string> {
  const { instructionsText } = await import('@pawl/tools/surroundings');
  return `The project describes this agent so:\n${instructionsText(source, text)}`;
}
