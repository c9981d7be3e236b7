import { execFile as execFileWithCallback, spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';
import { createServer as createWebServer, type RequestListener, type Server as WebServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { probeSandbox } from '../../src/index.ts';
import { createSandbox, type HostList, type Probe } from '../../src/sandbox/index.ts';
import { lentNode } from '../../src/sandbox/network/entrance.ts';
import { certificate, privateKey } from '../web/certificate.ts';
import { createWorkspace, temporaryFolder } from '../workspace.ts';

const execFile = promisify(execFileWithCallback);

const probe = await probeSandbox();
const hasList = probe.isAvailable && probe.mechanism.kind === 'bubblewrap';
if (!hasList) console.log('Skipped, what needs bubblewrap.');
const lent = lentNode(process.execPath);
/** Node, as commands find it. */
const node = lent?.seenAt ?? process.execPath;
if (lent !== null) console.log('Skipped, what hides Node: of one that is in /tmp the sandbox has another name.');

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    (server as Partial<WebServer>).closeAllConnections?.();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const web = (answer: RequestListener = (_, response) => response.end('reached\n')) =>
  listening(createWebServer(answer));

/** A workspace whose commands reach these hosts. */
function workspaceWith(hosts: readonly string[], more: Partial<HostList> = {}) {
  const list: HostList = { hosts, within: null, ...more };
  // The proxies of the machine that runs the tests are none of theirs.
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
  return createWorkspace({ environment, sandbox: { network: list } });
}

/** Accepts connections and says when the first has come, and when it is gone. */
async function holder() {
  let come: () => void = () => undefined;
  let leave: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const port = await listening(
    createServer((socket) => {
      come();
      socket.on('error', () => undefined);
      socket.once('close', leave);
    }),
  );
  return { port, came, gone };
}

/** Opens a tunnel and holds it. */
const hold = (port: number) =>
  `exec 3<>/dev/tcp/127.0.0.1/\${https_proxy##*:}; printf 'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n' >&3; while :; do sleep 0.05; done`;

describe('P10: what a list of hosts comes to', () => {
  it.runIf(hasList)('is contained, unless it is only a project that narrows what the user leaves open', async () => {
    const { tool, context, plan } = workspaceWith(['a.example']);
    const bash = tool('bash');
    expect(await bash.containment?.({ command: 'make' }, context())).toBe('workspace');
    expect(await bash.containment?.({ command: 'make', outside: true }, context())).toBe('escape');
    expect(await bash.containment?.({ command: 'make' }, context({ mode: 'plan' }))).toBe('read-only');
    expect(bash.description).toContain('only these hosts are reached: a.example');
    const still = createWorkspace({ sandbox: { mode: 'read-only', network: { hosts: ['a.example'], within: null } } });
    const containmentOf = (command: string) => still.tool('bash').containment?.({ command }, still.context());
    // Beside another command, what git is made to run could reach the hosts.
    expect(await containmentOf('git status && make')).toBe('workspace');
    expect(await containmentOf('git status')).toBe('read-only');
    const open = createWorkspace({ sandbox: { network: { hosts: 'any', within: ['a.example'] } } });
    expect(await open.tool('bash').containment?.({ command: 'make' }, open.context())).toBe('none');
    const { basis = null } = (await plan('bash', { command: 'make' })).plan;
    const other = workspaceWith(['b.example']);
    await expect(other.tool('bash').run({ command: 'make' }, other.context({ basis }))).rejects.toMatchObject({
      code: 'outdated',
    });
  });

  it('leads a command in Seatbelt, which has no network of its own, to a port that knows it by a secret', async () => {
    const port = await web();
    const find = async (): Promise<Probe> => ({ isAvailable: true, mechanism: { kind: 'seatbelt' } });
    const network: HostList = { hosts: [`127.0.0.1:${port}`], within: null };
    const sandbox = createSandbox({ network }, { notice: () => undefined, environment: {}, find });
    const [launch, other] = [
      await sandbox.launch('s', temporaryFolder()),
      await sandbox.launch('s', temporaryFolder()),
    ];
    const proxy = new URL(launch?.environment.HTTPS_PROXY ?? '');
    expect(launch?.words.join(' ')).toContain(
      `(deny network*)\n(allow network-outbound (remote ip "localhost:${proxy.port}"))\n`,
    );
    expect(launch?.words.slice(-1)).toEqual(['--']);
    // As the command would: here nothing keeps it from it.
    const ask = (through: string) =>
      execFile('curl', ['-sS', '-x', through, `http://127.0.0.1:${port}/`], { env: { PATH: process.env.PATH } }).then(
        ({ stdout }) => stdout,
        (error: Error) => error.message,
      );
    expect(await ask(proxy.href)).toBe('reached\n');
    expect(await ask(proxy.origin)).toContain('for its commands alone');
    expect(await ask(`http://pawl:wrong@${proxy.host}`)).toContain('for its commands alone');
    proxy.port = new URL(other?.environment.HTTPS_PROXY ?? '').port;
    expect(await ask(proxy.href)).toContain('for its commands alone');
    await launch?.release();
    await other?.release();
    expect(await ask(proxy.href)).toContain('onnect');
    const reading = await sandbox.launch('s', temporaryFolder(), { mode: 'read-only' });
    expect(reading?.words.join(' ')).not.toContain('network-outbound');
    await reading?.release();
  });
});

describe.skipIf(!hasList)('P10: a command with a list of hosts', () => {
  it('reaches those with the usual programs, over HTTP and TLS', async () => {
    const port = await web();
    const secure = await listening(
      createSecureServer({ cert: certificate, key: privateKey }, (_, response) => response.end('over TLS\n')),
    );
    const { folder, call } = workspaceWith([`127.0.0.1:${port}`, `127.0.0.1:${secure}`]);
    writeFileSync(join(folder, 'cert.pem'), certificate);
    const { content } = await call('bash', {
      command: `curl -sS http://127.0.0.1:${port}/; curl -sS --cacert cert.pem https://127.0.0.1:${secure}/; NODE_EXTRA_CA_CERTS=$PWD/cert.pem ${node} -e 'for (const url of process.argv.slice(1)) fetch(url).then(async (response) => console.log("fetched", await response.text()))' http://127.0.0.1:${port}/ https://127.0.0.1:${secure}/`,
    });
    expect(content.match(/reached/g)).toHaveLength(2);
    expect(content.match(/over TLS/g)).toHaveLength(2);
    expect(content).not.toContain('refused');
  });

  it('reaches no others, and the model is told which, whether the command minded or not', async () => {
    const [port, other] = [await web(), await web()];
    const { call } = workspaceWith([`127.0.0.1:${port}`]);
    const outcome = await call('bash', {
      command: `curl -s -o /dev/null https://evil.example/; curl -sS http://127.0.0.1:${other}/; true`,
    });
    expect(outcome.isError).toBe(false);
    expect(outcome.content).toContain(`to allow it, add 127.0.0.1:${other} to sandboxNetwork in the settings.`);
    expect(outcome.content).toContain(
      `(The sandbox refused network access to evil.example:443, 127.0.0.1:${other}. It lets commands reach: 127.0.0.1:${port}.`,
    );
    expect(outcome.content).not.toContain('reached\n');
    expect((await call('bash', { command: 'echo well' })).content).toBe('well');
  });

  it('reaches them with git, also where the user’s git knows another proxy', async () => {
    const asked: string[] = [];
    const port = await web((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(404).end();
    });
    const home = temporaryFolder();
    writeFileSync(join(home, '.gitconfig'), '[http]\n\tproxy = http://127.0.0.1:1\n');
    const environment = {
      PATH: process.env.PATH,
      HOME: home,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_VALUE_0: 'Ann',
    };
    const network: HostList = { hosts: [`127.0.0.1:${port}`], within: null };
    const { call } = createWorkspace({ environment, sandbox: { network } });
    const { content } = await call('bash', {
      command: `git config user.name; git ls-remote http://127.0.0.1:${port}/repository`,
    });
    expect(content).toContain('Ann\n');
    expect(asked).toEqual(['/repository/info/refs?service=git-upload-pack']);
  });

  it('follows no redirect away from them', async () => {
    const other = await web();
    const port = await web((_, response) => response.writeHead(302, { location: `http://127.0.0.1:${other}/` }).end());
    const { call } = workspaceWith([`127.0.0.1:${port}`]);
    const { content } = await call('bash', { command: `curl -sSL http://127.0.0.1:${port}/` });
    expect(content).toContain(`The sandbox refused network access to 127.0.0.1:${other}`);
    expect(content).not.toContain('reached\n');
  });

  it('gets nowhere past the proxy, also not where the list would let it', async () => {
    const port = await web();
    const { call } = workspaceWith([`127.0.0.1:${port}`]);
    const { content } = await call('bash', {
      command: `curl --noproxy '*' -sS http://127.0.0.1:${port}/; (exec 3<>/dev/tcp/127.0.0.1/${port}) && echo got out; curl --noproxy '*' -sS --max-time 2 http://1.1.1.1/; cat /proc/net/dev; getent hosts registry.npmjs.org; exit 1`,
    });
    expect(content).not.toMatch(/reached\n|got out|eth0/);
    expect(content).toMatch(/onnect/);
    expect(content).toContain('go through the proxy in HTTPS_PROXY');
  });

  it('reaches what it serves itself without the proxy', async () => {
    const { call } = workspaceWith(['a.example']);
    const { content } = await call('bash', {
      command: `${node} -e 'require("http").createServer((_, response) => response.end("own")).listen(8123, function () { fetch("http://localhost:8123").then(async (response) => { console.log(await response.text()); require("child_process").execSync("true"); this.close(); process.exit(); }); })'`,
    });
    expect(content).toBe('own');
  });

  it('has nothing of ours beside it: no process, no open file, no channel, no socket', async () => {
    const command = `ls /proc > listed; grep -c '^[0-9]*$' listed; for p in 1 $$; do ls /proc/$p/fd > fds; wc -l < fds; done; env | grep NODE_CHANNEL; find /tmp /run . -type s`;
    const { content } = await workspaceWith(['a.example']).call('bash', { command });
    expect(content).toBe((await createWorkspace().call('bash', { command })).content);
    expect(content).toMatch(/^[1-4]\n/);
  });

  it('lets nothing speak on the channel that it begins with: neither a file that bash reads nor a function', async () => {
    const environment = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BASH_ENV: './settings',
      'BASH_FUNC_shift%%': `() { echo spoken; builtin shift "$@"; }`,
    };
    const port = await web();
    const sandbox = { network: { hosts: [`127.0.0.1:${port}`], within: null } };
    const { folder, call } = createWorkspace({ environment, sandbox });
    writeFileSync(join(folder, 'settings'), '{ echo garbage >&4; } 2>/dev/null; export READ=$((READ + 1))');
    const { content } = await call('bash', {
      command: `no_proxy= NO_PROXY= curl -sS http://127.0.0.1:${port}/; echo "read $READ"`,
    });
    expect(content).toBe('reached\nread 1');
  });

  it('has two hundred connections at once', async () => {
    let waiting = 0;
    let release: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const port = await web(async (_, response) => {
      waiting += 1;
      if (waiting === 200) release();
      await all;
      response.end();
    });
    const { call } = workspaceWith([`127.0.0.1:${port}`]);
    const { content } = await call('bash', {
      command: `${node} -e 'Promise.all(Array.from({ length: 200 }, () => fetch("http://127.0.0.1:${port}/"))).then((all) => console.log(all.filter(({ ok }) => ok).length))'`,
    });
    expect(content).toBe('200');
  });

  it('reaches nothing in plan mode, nor where it only reads', async () => {
    const port = await web();
    const { call } = workspaceWith([`127.0.0.1:${port}`]);
    const command = `(exec 3<>/dev/tcp/127.0.0.1/17127) 2>/dev/null && echo open; curl -sS http://127.0.0.1:${port}/`;
    const { content } = await call('bash', { command }, { mode: 'plan', basis: null });
    expect(content).not.toMatch(/open|reached\n/);
    expect(content).toContain('which has no network');
    const sandbox = createSandbox({ network: { hosts: ['a.example'], within: null } }, { notice: () => undefined });
    const launch = await sandbox.launch('s', temporaryFolder(), { mode: 'read-only' });
    expect(launch).toMatchObject({ gateway: null, network: 'off' });
    await launch?.release();
  });

  it('is alone with its way out: another command has its own list of refusals, another session no way in', async () => {
    const { port, came } = await holder();
    const { folder, call } = workspaceWith([`127.0.0.1:${port}`]);
    const first = call('bash', { command: `touch begun; ${hold(port)}`, timeoutMs: 1500 });
    await came;
    const proxyPort = 17_127;
    const outside = connect(proxyPort, '127.0.0.1');
    expect(await new Promise((resolve) => outside.once('error', resolve))).toMatchObject({ code: 'ECONNREFUSED' });
    const other = workspaceWith(['b.example']);
    const { content } = await other.call('bash', { command: `no_proxy= NO_PROXY= curl -sS http://127.0.0.1:${port}/` });
    expect(content).toContain('The sandbox refused');
    expect(existsSync(join(folder, 'begun'))).toBe(true);
    expect((await first).content).not.toContain('The sandbox refused');
  });

  it.skipIf(lent !== null)('goes on without, and says so, where our Node does not run in the sandbox', async () => {
    const { call } = createWorkspace({
      sandbox: { network: { hosts: ['a.example'], within: null }, hiddenPaths: [process.execPath] },
    });
    const { content, isError } = await call('bash', { command: 'touch x; echo on' });
    expect(content).toMatch(/The way to the network could not be opened[\s\S]*\non$/);
    expect(isError).toBe(false);
  });

  it('breaks off what it holds at its time limit', async () => {
    const one = await holder();
    const { call } = workspaceWith([`127.0.0.1:${one.port}`]);
    const timed = await call('bash', { command: hold(one.port), timeoutMs: 1000 });
    expect(timed.content).toContain('Not finished after 1000 ms');
    await one.gone;
  });
});

describe.skipIf(!hasList)('P10: a background process with a list of hosts', () => {
  it('reaches those until it is stopped, and its output says what was refused', async () => {
    const { port, came, gone } = await holder();
    const { call } = workspaceWith([`127.0.0.1:${port}`]);
    const command = `curl -s https://evil.example/; ${hold(port)}`;
    const { details } = await call('bash', { command, background: true });
    const id = String(details?.process);
    await came;
    const { content } = await call('process', { action: 'output', id });
    expect(content).toContain('(The sandbox refused network access to evil.example:443.');
    await call('process', { action: 'stop', id });
    await gone;
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('leaves nothing behind when the program ends by %s', async (signal) => {
    const { port, came, gone } = await holder();
    const temporary = temporaryFolder();
    const program = startProgram(temporaryFolder(), temporary, port);
    await came;
    program.kill(signal);
    await gone;
    // Nothing but what the next start sweeps away, and no socket in it.
    for (const name of readdirSync(temporary, { recursive: true }).map(String)) {
      expect(name).toMatch(/^pawl-(?:session|processes|watch|line)-/);
      expect(name).not.toContain('sock');
    }
  });

  it('reaches them also where Node itself is in a folder that the sandbox has another in place of', async () => {
    const { port, came, gone } = await holder();
    const copy = join(temporaryFolder('/tmp'), 'node');
    await link(process.execPath, copy).catch(() => copyFile(process.execPath, copy));
    expect(lentNode(copy)).not.toBe(null);
    const program = startProgram(temporaryFolder(), temporaryFolder(), port, copy);
    await came;
    program.kill('SIGKILL');
    await gone;
  });

  it('keeps no program from ending', async () => {
    const { port, came, gone } = await holder();
    const folder = temporaryFolder();
    const program = startProgram(folder, temporaryFolder(), port);
    await came;
    writeFileSync(join(folder, 'end'), '');
    expect(await new Promise((resolve) => program.on('exit', resolve))).toBe(0);
    await gone;
  });
});

/** A program of its own that runs a background process which holds a connection; it ends when it finds `end` in its folder. */
function startProgram(folder: string, temporary: string, port: number, program: string = process.execPath) {
  const tools = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
  const input = JSON.stringify({ command: hold(port), background: true });
  const code = `
    import { existsSync } from 'node:fs';
    import { setTimeout as wait } from 'node:timers/promises';
    import { builtinTools } from ${JSON.stringify(tools)};
    const network = { hosts: ['127.0.0.1:${port}'], within: null };
    const bash = builtinTools({ sandbox: { network }, environment: { PATH: process.env.PATH } }).find(({ name }) => name === 'bash');
    await bash.run(${input}, { session: 's', cwd: ${JSON.stringify(folder)}, signal: new AbortController().signal, paths: [], basis: null, progress() {} });
    while (!existsSync(${JSON.stringify(join(folder, 'end'))})) await wait(5);
  `;
  return spawn(program, ['--input-type=module-typescript', '-e', code], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TMPDIR: temporary },
  });
}
