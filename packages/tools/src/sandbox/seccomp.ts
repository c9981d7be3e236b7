/**
 * A filter of system calls for contained commands, as a program of the kernel's own small language (classic BPF), which
 * bubblewrap installs. It refuses what commands of agents never need and what has been a way out of sandboxes before.
 * Numbers are those of the kernel's tables, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
 */

export const architectures = ['x64', 'arm64'] as const;
type Architecture = (typeof architectures)[number];

/** What the filter was written for: calls that are newer are not there, and programs do without. Linux 6.17. */
export const latestCall = 469;

/** How a call is answered: as if the caller had no right, or as if an older kernel did not have it. */
const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
type Refusal = keyof typeof errors;

/** What is looked at before a call is refused: of an argument, the lower half. */
type Condition =
  | { argument: number; hasAnyOf: number }
  | { argument: number; isOneOf: readonly number[] }
  | { argument: number; isNoneOf: readonly number[] };

type Rule = {
  /** Its number by architecture; null where there is none. */
  calls: readonly { x64: number | null; arm64: number | null }[];
  refusal: Refusal;
  /** All must hold; none: always. */
  when?: readonly Condition[];
};

const call = (x64: number | null, arm64: number | null) => ({ x64, arm64 });

/** The bits of a file that lend its owner's or its group's rights to whoever runs it: S_ISUID and S_ISGID. */
const lendsRights = 0o6000;
/** O_CREAT and __O_TMPFILE: without them, the mode is not an argument. */
const makesFile = 0o100 | 0o20000000;
/** S_IFMT, S_IFCHR, S_IFBLK. */
const deviceBit = 0o020000;
/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespace = 0x7e020000;
/** NEWTIME is a number of an ending signal for `clone`. */
const newTime = 0x80;
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: no sockets to the host of a virtual machine, to devices, or past the network's layers. */
const usualSockets = [1, 2, 10, 16];
/** PTRACE_ATTACH and PTRACE_SEIZE: a debugger still runs what it starts itself. */
const attaches = [16, 0x4206];
/** TIOCSTI, TIOCLINUX: words put into somebody's terminal. */
const typesForOthers = [0x5412, 0x541c];

const rules: readonly Rule[] = [
  // io_uring does without calls what calls would be refused.
  { calls: [call(425, 425), call(426, 426), call(427, 427)], refusal: 'ENOSYS' },
  { calls: [call(41, 198), call(53, 199)], refusal: 'EAFNOSUPPORT', when: [{ argument: 0, isNoneOf: usualSockets }] },
  { calls: [call(101, 117)], refusal: 'EPERM', when: [{ argument: 0, isOneOf: attaches }] },
  // process_vm_readv, process_vm_writev, kcmp, pidfd_getfd, process_madvise.
  { calls: [call(310, 270), call(311, 271), call(312, 272), call(438, 438), call(440, 440)], refusal: 'EPERM' },
  // add_key, request_key, keyctl.
  { calls: [call(248, 217), call(249, 218), call(250, 219)], refusal: 'EPERM' },
  // chmod, fchmod; fchmodat, fchmodat2.
  { calls: [call(90, null), call(91, 52)], refusal: 'EPERM', when: [{ argument: 1, hasAnyOf: lendsRights }] },
  { calls: [call(268, 53), call(452, 452)], refusal: 'EPERM', when: [{ argument: 2, hasAnyOf: lendsRights }] },
  // creat; open; openat.
  { calls: [call(85, null)], refusal: 'EPERM', when: [{ argument: 1, hasAnyOf: lendsRights }] },
  {
    calls: [call(2, null)],
    refusal: 'EPERM',
    when: [
      { argument: 1, hasAnyOf: makesFile },
      { argument: 2, hasAnyOf: lendsRights },
    ],
  },
  {
    calls: [call(257, 56)],
    refusal: 'EPERM',
    when: [
      { argument: 2, hasAnyOf: makesFile },
      { argument: 3, hasAnyOf: lendsRights },
    ],
  },
  // mknod, mknodat: no devices either.
  { calls: [call(133, null)], refusal: 'EPERM', when: [{ argument: 1, hasAnyOf: lendsRights | deviceBit }] },
  { calls: [call(259, 33)], refusal: 'EPERM', when: [{ argument: 2, hasAnyOf: lendsRights | deviceBit }] },
  // openat2, clone3: their arguments lie in memory, where no filter can look; what uses them knows the older ones.
  { calls: [call(437, 437), call(435, 435)], refusal: 'ENOSYS' },
  // clone, unshare, setns.
  { calls: [call(56, 220)], refusal: 'EPERM', when: [{ argument: 0, hasAnyOf: newNamespace }] },
  { calls: [call(272, 97)], refusal: 'EPERM', when: [{ argument: 0, hasAnyOf: newNamespace | newTime }] },
  { calls: [call(308, 268)], refusal: 'EPERM' },
  { calls: [call(16, 29)], refusal: 'EPERM', when: [{ argument: 1, isOneOf: typesForOthers }] },
  {
    calls: [
      call(165, 40), // mount
      call(166, 39), // umount2
      call(155, 41), // pivot_root
      call(161, 51), // chroot
      call(428, 428), // open_tree
      call(429, 429), // move_mount
      call(430, 430), // fsopen
      call(431, 431), // fsconfig
      call(432, 432), // fsmount
      call(433, 433), // fspick
      call(442, 442), // mount_setattr
      call(467, 467), // open_tree_attr
      call(167, 224), // swapon
      call(168, 225), // swapoff
      call(163, 89), // acct
      call(179, 60), // quotactl
      call(443, 443), // quotactl_fd
      call(321, 280), // bpf
      call(323, 282), // userfaultfd
      call(298, 241), // perf_event_open
      call(300, 262), // fanotify_init
      call(304, 265), // open_by_handle_at
      call(212, 18), // lookup_dcookie
      call(103, 116), // syslog
      call(169, 142), // reboot
      call(170, 161), // sethostname
      call(171, 162), // setdomainname
      call(164, 170), // settimeofday
      call(227, 112), // clock_settime
      call(305, 266), // clock_adjtime
      call(175, 105), // init_module
      call(313, 273), // finit_module
      call(176, 106), // delete_module
      call(246, 104), // kexec_load
      call(320, 294), // kexec_file_load
      call(180, 42), // nfsservctl
      call(153, 58), // vhangup
      call(154, null), // modify_ldt
      call(172, null), // iopl
      call(173, null), // ioperm
      call(134, null), // uselib
      call(139, null), // sysfs
      call(156, null), // _sysctl
      call(174, null), // create_module
      call(177, null), // get_kernel_syms
      call(178, null), // query_module
    ],
    refusal: 'EPERM',
  },
];

/**
 * What Landlock has no say in, for commands that only read and have nothing else around them: to reach anybody, and to
 * change what is known of a file without opening it.
 */
const readerRules: readonly Rule[] = [
  { calls: [call(41, 198)], refusal: 'EAFNOSUPPORT' },
  {
    calls: [
      call(90, null), // chmod
      call(91, 52), // fchmod
      call(268, 53), // fchmodat
      call(452, 452), // fchmodat2
      call(92, null), // chown
      call(93, 55), // fchown
      call(94, null), // lchown
      call(260, 54), // fchownat
      call(76, 45), // truncate
      call(132, null), // utime
      call(235, null), // utimes
      call(261, null), // futimesat
      call(280, 88), // utimensat
      call(188, 5), // setxattr
      call(189, 6), // lsetxattr
      call(190, 7), // fsetxattr
      call(197, 14), // removexattr
      call(198, 15), // lremovexattr
      call(199, 16), // fremovexattr
      call(463, 463), // setxattrat
      call(466, 466), // removexattrat
      call(469, 469), // file_setattr
    ],
    refusal: 'EPERM',
  },
];

/* Classic BPF, as in linux/bpf_common.h and linux/seccomp.h. */
const load = 0x20;
const jump = 0x05;
const jumpEqual = 0x15;
const jumpGreater = 0x25;
const jumpBits = 0x45;
const give = 0x06;

const allow = 0x7fff0000;
const refuse = (refusal: Refusal) => 0x00050000 | errors[refusal];

/** Where `struct seccomp_data` holds the number, the architecture, and the lower half of an argument. */
const numberAt = 0;
const architectureAt = 4;
const argumentAt = (index: number) => 16 + 8 * index;

const audit: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** `yes` and `no`: how many instructions to go over. */
type Instruction = { code: number; yes: number; no: number; value: number };

const step = (code: number, value: number, yes = 0, no = 0): Instruction => ({ code, yes, no, value: value >>> 0 });

/** The bytes of the filter; null for a machine that it was not written for. */
export function seccompFilter(architecture: string, whose: 'commands' | 'readers' = 'commands'): Buffer | null {
  const known = architectures.find((each) => each === architecture);
  if (known === undefined) return null;
  return encoded(programFor(known, whose === 'commands' ? rules : strictest([...readerRules, ...rules])));
}

/** Each call once: with the first of its rules, as what is refused always needs no condition. */
function strictest(all: readonly Rule[]): Rule[] {
  const seen = new Set<string>();
  return all.map((rule) => ({
    ...rule,
    calls: rule.calls.filter(({ x64, arm64 }) => {
      const key = `${x64} ${arm64}`;
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    }),
  }));
}

function programFor(architecture: Architecture, all: readonly Rule[]): Instruction[] {
  const known = all
    .flatMap(({ calls, refusal, when = [] }) =>
      calls.map((numbers) => ({ number: numbers[architecture], refusal, when })),
    )
    .flatMap(({ number, refusal, when }) =>
      number === null ? [] : [{ number, block: blockOf(number, when, refusal) }],
    )
    .sort((one, other) => one.number - other.number);
  return [
    step(load, architectureAt),
    // Programs of another kind (32 bits) have other numbers.
    step(jumpEqual, audit[architecture], 1, 0),
    step(give, refuse('ENOSYS')),
    step(load, numberAt),
    // Also those of x32, which begin at 0x40000000.
    step(jumpGreater, latestCall, 0, 1),
    step(give, refuse('ENOSYS')),
    ...searched(known),
    step(give, allow),
  ];
}

/** So many are compared one by one. */
const fewest = 4;

/** By halves: the kernel runs the filter for every number when it takes it, and for many calls of a program. */
function searched(known: readonly { number: number; block: Instruction[] }[]): Instruction[] {
  const middle = known.length >> 1;
  const border = known[middle - 1]?.number;
  if (known.length <= fewest || border === undefined) {
    return [...known.flatMap(({ block }) => block), step(give, allow)];
  }
  const lower = searched(known.slice(0, middle));
  const upper = searched(known.slice(middle));
  // A jump that depends on something goes over 255 at most.
  return [step(jumpGreater, border, 0, 1), step(jump, lower.length), ...lower, ...upper];
}

/** Goes on behind itself where it is not this call, or it may be made. */
function blockOf(number: number, when: readonly Condition[], refusal: Refusal): Instruction[] {
  if (when.length === 0) return [step(jumpEqual, number, 0, 1), step(give, refuse(refusal))];
  // Behind the conditions: the refusal, and for who is let go the leave, as an argument is loaded in the number's place.
  const body = [step(give, refuse(refusal)), step(give, allow)];
  const checks: Instruction[] = [];
  for (const condition of [...when].reverse()) {
    const toLeave = checks.length + 1;
    checks.unshift(...checkOf(condition, toLeave));
  }
  const whole = [...checks, ...body];
  return [step(jumpEqual, number, 0, whole.length), ...whole];
}

/** Goes on behind itself where the condition holds; else over as many more as `toLeave`. */
function checkOf(condition: Condition, toLeave: number): Instruction[] {
  const loaded = step(load, argumentAt(condition.argument));
  if ('hasAnyOf' in condition) return [loaded, step(jumpBits, condition.hasAnyOf, 0, toLeave)];
  const values = 'isOneOf' in condition ? condition.isOneOf : condition.isNoneOf;
  const isWanted = 'isOneOf' in condition;
  return [
    loaded,
    ...values.map((value, index) => {
      const left = values.length - 1 - index;
      const isLast = left === 0;
      // A match ends the search: behind the last comparison for what is wanted, at the leave for what is not.
      if (isWanted) return step(jumpEqual, value, left, isLast ? toLeave : 0);
      return step(jumpEqual, value, left + toLeave, 0);
    }),
  ];
}

function encoded(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(({ code, yes, no, value }, index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
