/**
 * The programs that are measured side by side, each as its user runs it without a terminal: one prompt, everything
 * allowed, its own sandbox as it comes. Those of others are installed by `bench/programs`.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type Call = { tool: string; input: { [name: string]: string } };

export type Place = {
  /** The model server, without a path. */
  server: string;
  /** The program's home: its settings and sessions. */
  home: string;
  /** The folder that it works in, with `file.txt`. */
  folder: string;
};

export type Program = {
  name: string;
  /** The file to run, by Node if it is JavaScript. */
  file: string;
  /** What it reads from its home before it starts. */
  prepare?(place: Place): Promise<void>;
  environment(place: Place): { [name: string]: string };
  run(prompt: string, place: Place): string[];
  /** Goes on with the last session of the folder; null where nothing is kept. */
  resume: ((prompt: string) => string[]) | null;
  /** The n-th call that reads `file.txt`; no two are the same. */
  read(n: number, place: Place): Call;
  shell(n: number): Call;
};

const repository = join(import.meta.dirname, '../..');
const installed = (path: string) => join(repository, 'bench/programs/node_modules', path);
/** Leaves a line, so that steps that were lost or done twice are seen. */
const command = (n: number) => `echo step ${n} >> steps.txt; echo step ${n}`;

/** The endpoint stands in its list of models. */
const piModels = (server: string) => ({
  providers: {
    local: {
      baseUrl: server,
      api: 'anthropic-messages',
      apiKey: 'key',
      models: [{ id: 'bench', contextWindow: 1_000_000, maxTokens: 4096 }],
    },
  },
});

export const programs: readonly Program[] = [
  {
    name: 'written by hand',
    file: join(import.meta.dirname, 'hand-written.ts'),
    environment: () => ({}),
    run: (prompt, { server }) => [server, prompt],
    resume: null,
    read: (n, { folder }) => ({ tool: 'read', input: { path: join(folder, `file${n}.txt`) } }),
    shell: (n) => ({ tool: 'bash', input: { command: command(n) } }),
  },
  {
    name: 'pawl',
    file: join(repository, 'dist/cli/bin/pawl.js'),
    environment: ({ server, home }) => ({ ANTHROPIC_BASE_URL: server, ANTHROPIC_API_KEY: 'key', PAWL_HOME: home }),
    run: (prompt) => ['run', '--model', 'anthropic/bench', '--permission-mode', 'auto', '--max-steps', '1000', prompt],
    resume: (prompt) => ['run', '-c', prompt],
    read: (n, { folder }) => ({ tool: 'read', input: { path: join(folder, `file${n}.txt`) } }),
    shell: (n) => ({ tool: 'bash', input: { command: command(n) } }),
  },
  {
    name: 'pi',
    file: installed('@mariozechner/pi-coding-agent/dist/cli.js'),
    async prepare({ home, server }) {
      await mkdir(join(home, 'pi'), { recursive: true });
      await writeFile(join(home, 'pi/models.json'), JSON.stringify(piModels(server)));
    },
    environment: ({ home }) => ({ PI_CODING_AGENT_DIR: join(home, 'pi'), PI_OFFLINE: '1' }),
    run: (prompt) => ['-p', '--offline', '--provider', 'local', '--model', 'bench', prompt],
    resume: (prompt) => ['-p', '--offline', '--provider', 'local', '--model', 'bench', '-c', prompt],
    read: (n, { folder }) => ({ tool: 'read', input: { path: join(folder, `file${n}.txt`) } }),
    shell: (n) => ({ tool: 'bash', input: { command: command(n) } }),
  },
  {
    name: 'Codex',
    file: installed('@openai/codex/bin/codex.js'),
    async prepare({ home, server }) {
      await mkdir(join(home, 'codex'), { recursive: true });
      const provider = `[model_providers.local]\nname = "local"\nbase_url = "${server}/v1"\nwire_api = "responses"\nenv_key = "LOCAL_KEY"\n`;
      await writeFile(join(home, 'codex/config.toml'), `model = "gpt-5"\nmodel_provider = "local"\n\n${provider}`);
    },
    environment: ({ home }) => ({ CODEX_HOME: join(home, 'codex'), LOCAL_KEY: 'key' }),
    run: (prompt) => ['exec', '--skip-git-repo-check', '--sandbox', 'workspace-write', prompt],
    resume: (prompt) => ['exec', '--skip-git-repo-check', '--sandbox', 'workspace-write', 'resume', '--last', prompt],
    // It has no tool of its own for reading.
    read: (n, { folder }) => ({ tool: 'exec_command', input: { cmd: `cat ${join(folder, `file${n}.txt`)}` } }),
    shell: (n) => ({ tool: 'exec_command', input: { cmd: command(n) } }),
  },
  {
    name: 'Gemini CLI',
    file: installed('@google/gemini-cli/bundle/gemini.js'),
    async prepare({ home }) {
      await mkdir(join(home, '.gemini'), { recursive: true });
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      };
      await writeFile(join(home, '.gemini/settings.json'), JSON.stringify(settings));
    },
    environment: ({ home, server }) => ({ HOME: home, GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: server }),
    run: (prompt) => ['--skip-trust', '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro', '-p', prompt],
    resume: (prompt) => [
      '--skip-trust',
      '--approval-mode',
      'yolo',
      '-m',
      'gemini-2.5-pro',
      '-r',
      'latest',
      '-p',
      prompt,
    ],
    read: (n, { folder }) => ({ tool: 'read_file', input: { file_path: join(folder, `file${n}.txt`) } }),
    shell: (n) => ({ tool: 'run_shell_command', input: { command: command(n) } }),
  },
  {
    name: 'opencode',
    file: installed(`opencode-${process.platform}-${process.arch}/bin/opencode`),
    async prepare({ home, server }) {
      const provider = {
        npm: '@ai-sdk/anthropic',
        options: { baseURL: `${server}/v1`, apiKey: 'key' },
        models: { bench: { name: 'bench', limit: { context: 1_000_000, output: 4096 } } },
      };
      await mkdir(join(home, '.config/opencode'), { recursive: true });
      const config = {
        provider: { local: provider },
        model: 'local/bench',
        small_model: 'local/bench',
        autoupdate: false,
      };
      await writeFile(join(home, '.config/opencode/opencode.json'), JSON.stringify({ ...config, share: 'disabled' }));
    },
    environment: ({ home }) => ({ HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    run: (prompt) => ['run', '--auto', '-m', 'local/bench', prompt],
    resume: (prompt) => ['run', '--auto', '-m', 'local/bench', '-c', prompt],
    read: (n, { folder }) => ({ tool: 'read', input: { filePath: join(folder, `file${n}.txt`) } }),
    shell: (n) => ({ tool: 'bash', input: { command: command(n), description: 'A step.' } }),
  },
];

/** The command that runs it. */
export const commandOf = ({ file }: Program): string[] => (/\.[jt]s$/.test(file) ? [process.execPath, file] : [file]);

export const isInstalled = ({ file }: Program): boolean => existsSync(file);
