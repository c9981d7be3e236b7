import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace, node, pawl, program } from './pawl.ts';

describe('help', () => {
  it('is what pawl alone prints, with the exit codes', async () => {
    const place = makePlace();
    const bare = await pawl(place, []);
    expect(bare.code).toBe(0);
    expect(bare.stdout).toContain('Usage: pawl');
    expect(bare.stdout).toContain('130 cancelled');
    expect(await pawl(place, ['--help'])).toEqual(bare);
    expect(await pawl(place, ['help'])).toEqual(bare);
  });

  it('names every flag of a run and every command on sessions', async () => {
    const place = makePlace();
    const run = await pawl(place, ['run', '--help']);
    const flags = [
      '-p',
      '--model',
      '--cwd',
      '--agent',
      '--permission-mode',
      '--allow',
      '--ask',
      '--deny',
      '--output-format',
    ];
    const more = [
      '--max-steps',
      '--max-duration',
      '--max-tokens',
      '--max-usd',
      '--continue',
      '--resume',
      '--session-id',
      '--record',
    ];
    for (const flag of [...flags, ...more]) expect(run.stdout).toContain(flag);
    const sessions = await pawl(place, ['sessions', '--help']);
    for (const name of ['list', 'show', 'resume', 'fork', 'delete', 'export']) expect(sessions.stdout).toContain(name);
    expect([run.code, sessions.code]).toEqual([0, 0]);
  });

  it('gives the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(await pawl(makePlace(), ['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('gives the version without loading the program, which would keep its compiled code', async () => {
    const place = makePlace();
    const env = { NODE_COMPILE_CACHE: '' };
    const cache = join(place.home, 'pawl', 'cache');
    await pawl(place, ['-V'], { env });
    expect(existsSync(cache)).toBe(false);
    await pawl(place, ['help'], { env });
    expect(existsSync(cache)).toBe(true);
  });
});

describe('an old Node', () => {
  it('is told in one line what is needed, with exit code 2', () => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.11.1' }); require(${JSON.stringify(program)});`;
    const { status, stdout, stderr } = spawnSync(node, ['-e', pretend], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toBe('pawl needs Node 22.19 or newer, and this is Node 20.11.1. Update Node.\n');
  });
});

describe('warnings of Node itself', () => {
  it('are silent about what Pawl is built on, and about nothing else', () => {
    const warn = (text: string) => `process.emitWarning(${JSON.stringify(text)}, 'ExperimentalWarning');`;
    const code = `process.argv.push('help'); require(${JSON.stringify(program)});
      ${warn('SQLite is an experimental feature and might change at any time')}
      ${warn('Type Stripping is an experimental feature and might change at any time')}
      ${warn('Teleporting is an experimental feature')}`;
    const { stderr } = spawnSync(node, ['-e', code], { encoding: 'utf8' });
    expect(stderr).toContain('Teleporting');
    expect(stderr).not.toMatch(/SQLite|Type Stripping/);
  });
});
