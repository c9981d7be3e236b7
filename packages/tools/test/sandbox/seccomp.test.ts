import { describe, expect, it } from 'vitest';
import { probeSandbox } from '../../src/index.ts';
import { architectures, latestCall, seccompFilter } from '../../src/sandbox/seccomp.ts';
import { createWorkspace } from '../workspace.ts';

const probe = await probeSandbox();
const isFiltered = probe.isAvailable && probe.mechanism.kind === 'bubblewrap' && probe.mechanism.filter !== null;
const canCall = isFiltered && process.arch === 'x64';
if (!canCall) console.log('Skipped: real system calls are made only on x86-64, in bubblewrap, with a filter.');

const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** What the kernel would do: the filter's answer to a call, by the rules of classic BPF. */
function answer(filter: Buffer, architecture: number, number: number, given: readonly number[] = []): number {
  const memory = Buffer.alloc(64);
  memory.writeUInt32LE(number, 0);
  memory.writeUInt32LE(architecture, 4);
  for (const [index, value] of given.entries()) memory.writeUInt32LE(value >>> 0, 16 + 8 * index);
  let held = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const [code, yes, no] = [filter.readUInt16LE(at * 8), filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x20) held = memory.readUInt32LE(value);
    else if (code === 0x05) at += value;
    else if (code === 0x15) at += held === value ? yes : no;
    else if (code === 0x25) at += held > value ? yes : no;
    else if (code === 0x45) at += (held & value) !== 0 ? yes : no;
    else if (code === 0x06) return value === 0x7fff0000 ? 0 : value & 0xffff;
    else throw new Error(`no instruction: ${code}`);
  }
  throw new Error('the filter ends without an answer');
}

describe('P10: the filter of system calls', () => {
  it.each(architectures)('answers every number there is, and what is newer as an older kernel would, on %s', (name) => {
    const filter = seccompFilter(name) as Buffer;
    expect(filter.length / 8).toBeLessThan(4096);
    for (let number = 0; number <= latestCall; number++) {
      for (const value of [0, 1, 2, 0xffffffff])
        expect([0, 1, 38, 97]).toContain(answer(filter, audit[name], number, Array(6).fill(value)));
    }
    expect(answer(filter, audit[name], latestCall + 1)).toBe(38);
    expect(answer(filter, audit[name], 0x40000000)).toBe(38);
    // The calls of 32 bits have other numbers.
    expect(answer(filter, 0x40000003, 4)).toBe(38);
  });

  it('has none for a machine that it was not written for', () => {
    expect(seccompFilter('riscv64')).toBeNull();
  });

  it.each([
    ['x64', 'read', 0, [], 0],
    ['x64', 'chmod 755', 90, [0, 0o755], 0],
    ['x64', 'chmod 4755', 90, [0, 0o4755], 1],
    ['x64', 'fchmodat 2755', 268, [0, 0, 0o2755], 1],
    ['x64', 'open without O_CREAT, whatever lies where the mode would', 2, [0, 0, 0o6777], 0],
    ['x64', 'open that makes a setuid file', 2, [0, 0o102, 0o4755], 1],
    ['x64', 'openat that makes a usual file', 257, [0, 0, 0o102, 0o644], 0],
    ['x64', 'openat that makes a setuid file without a name', 257, [0, 0, 0o20200002, 0o4755], 1],
    ['x64', 'a pipe by mknod', 133, [0, 0o010644], 0],
    ['x64', 'a device by mknodat', 259, [0, 0, 0o060644], 1],
    ['x64', 'a socket of the network', 41, [2, 1, 0], 0],
    ['x64', 'a socket to the host of a virtual machine', 41, [40, 1, 0], 97],
    ['x64', 'a packet socket', 41, [17, 3, 0], 97],
    ['x64', 'a debugger’s own child', 101, [0], 0],
    ['x64', 'another process attached', 101, [16], 1],
    ['x64', 'another process seized', 101, [0x4206], 1],
    ['x64', 'a usual clone', 56, [0x01200011], 0],
    ['x64', 'a clone with a namespace', 56, [0x10000011], 1],
    ['x64', 'clone3', 435, [], 38],
    ['x64', 'io_uring_setup', 425, [], 38],
    ['x64', 'keyctl', 250, [], 1],
    ['x64', 'words typed for others', 16, [0, 0x5412], 1],
    ['x64', 'a usual ioctl', 16, [0, 0x5401], 0],
    ['arm64', 'read', 63, [], 0],
    ['arm64', 'fchmodat 4755', 53, [0, 0, 0o4755], 1],
    ['arm64', 'openat without O_CREAT', 56, [0, 0, 0, 0o6777], 0],
    ['arm64', 'a socket to the host of a virtual machine', 198, [40], 97],
    ['arm64', 'mount', 40, [], 1],
    ['arm64', 'bpf', 280, [], 1],
    ['arm64', 'userfaultfd', 282, [], 1],
  ] as const)('says on %s of %s what it should', (name, _, number, given, expected) => {
    expect(answer(seccompFilter(name) as Buffer, audit[name], number, given)).toBe(expected);
  });

  it.skipIf(!canCall)('is in force in the sandbox', async () => {
    const { call } = createWorkspace();
    const calls = [
      ['io_uring_setup', '425, 8, $b'],
      ['vsock', '41, 40, 1, 0'],
      ['alg', '41, 38, 5, 0'],
      ['attach', '101, 16, 1, 0, 0'],
      ['seize', '101, 0x4206, 1, 0, 0'],
      ['keyctl', '250, 0, -3, 0'],
      ['userfaultfd', '323, 0'],
      ['bpf', '321, 0, $b, 128'],
      ['fsopen', '430, $t, 0'],
      ['unshare', '272, 0x10000000'],
      ['pidfd_getfd', '438, 0, 0, 0'],
      ['next', '500'],
      ['unix', '41, 1, 1, 0'],
      ['inet', '41, 2, 1, 0'],
    ].map(([name, words]) => `$!=0; my $r=syscall(${words}); print "${name} ", ($r<0 ? $!+0 : "ok"), "\\n";`);
    const { content } = await call('bash', {
      command: `perl -e 'my $b="\\0"x128; my $t="tmpfs\\0"; ${calls.join(' ').replaceAll('my $r', '$r')}'`,
    });
    expect(content.split('\n')).toEqual([
      'io_uring_setup 38',
      'vsock 97',
      'alg 97',
      'attach 1',
      'seize 1',
      'keyctl 1',
      'userfaultfd 1',
      'bpf 1',
      'fsopen 1',
      'unshare 1',
      'pidfd_getfd 1',
      'next 38',
      'unix ok',
      'inet ok',
    ]);
  });

  it.skipIf(!canCall)('leaves no file that lends its owner’s rights, by any means', async () => {
    const { folder, call } = createWorkspace();
    const { content } = await call('bash', {
      command: `cp /bin/true a; chmod u+s a; chmod 2755 a; install -m 4755 /bin/true b; install -m 6755 /bin/true c
cp -p /usr/bin/passwd d 2>/dev/null; tar cf t -C /usr/bin passwd && tar xpf t
perl -e 'use Fcntl; sysopen(F, "e", O_CREAT|O_WRONLY, 04755); mkdir "f", 02755; chmod 02755, "f"'
python3 -c 'import os; os.open("h", os.O_CREAT|os.O_WRONLY, 0o4755)'
find . -perm /6000; chmod 755 a && ./a && echo usual`,
    });
    expect(content.split('\n').at(-1)).toBe('usual');
    expect(content).not.toMatch(/^\.\//m);
    expect(folder).not.toBe('');
  });

  it.skipIf(!isFiltered)(
    'lets the usual programs work: threads, children, sockets of their own, debuggers of their own',
    async () => {
      const { call } = createWorkspace();
      const { content, isError } = await call('bash', {
        command: `node -e "new (require('worker_threads').Worker)('1', { eval: true }).on('exit', () => require('net').createServer().listen(0, '127.0.0.1', () => { console.log(require('child_process').execSync('echo node').toString().trim()); process.exit() }))"
perl -e 'fork or exit; wait; print "perl\\n"'; (echo a; echo b) | sort -r | head -1; mkdir d; touch d/x; chmod +x d/x; cp -a d e; tar cf t d; tar xf t; timeout 5 sleep 0.01; echo done`,
      });
      expect(content).toBe('node\nperl\nb\ndone');
      expect(isError).toBe(false);
    },
  );
});

describe('P10: limits', () => {
  it.skipIf(!probe.isAvailable)('are said when they are hit: of a file, and of memory', async () => {
    const limits = { memory: 300_000_000, processes: 200, fileSize: 1_000_000 };
    const { call } = createWorkspace({ sandbox: { limits } });
    const file = await call('bash', { command: 'head -c 2000000 /dev/zero > large; exit $?' });
    expect(file.content).toContain(
      'The sandbox allows at most files of 0.001 GB; the user can change that with sandboxLimits',
    );
    const memory = await call('bash', { command: `perl -e '$x = "a" x 500_000_000; print length $x'` });
    expect(memory).toMatchObject({ isError: true });
    expect(memory.content.toLowerCase()).toContain('0.3 gb of memory for a process');
    expect((await call('bash', { command: 'ulimit -u; ulimit -c' })).content).toBe('200\n0');
  });

  it.skipIf(!probe.isAvailable)('can be taken away', async () => {
    const { call } = createWorkspace({ sandbox: { limits: { memory: null, processes: null, fileSize: null } } });
    expect((await call('bash', { command: 'ulimit -f; ulimit -d' })).content).toBe('unlimited\nunlimited');
  });
});
