/** How a program that runs another is looked through (SHELL-04). */
export interface Wrapper {
  /** Words that come before what it runs and are no options, such as a host or a duration. */
  readonly operands: number
  /** Whether its words hold shell code. */
  readonly takesCode: boolean
}

const plain: Wrapper = { operands: 0, takesCode: false }
const afterOne: Wrapper = { operands: 1, takesCode: false }
const shell: Wrapper = { operands: 0, takesCode: true }
const shellAfterOne: Wrapper = { operands: 1, takesCode: true }

function table(entries: readonly (readonly [Wrapper, string])[]): ReadonlyMap<string, Wrapper> {
  return new Map(
    entries.flatMap(([wrapper, names]) => names.split(' ').map((name) => [name, wrapper] as const)),
  )
}

/** Programs that run another program, shells included. */
export const wrappers: ReadonlyMap<string, Wrapper> = table([
  [plain, 'sudo sudoedit doas pkexec gosu su-exec runuser command builtin exec nohup nice ionice'],
  [plain, 'time stdbuf setsid xargs unshare nsenter busybox toybox fakeroot proot firejail bwrap'],
  [plain, 'eatmydata strace ltrace valgrind perf gdb catchsegv systemd-run start-stop-daemon'],
  [plain, 'daemonize daemon unbuffer run-parts prlimit numactl setpriv capsh cgexec rlwrap'],
  [
    plain,
    'choom uclampset coproc ld.so nocache torsocks proxychains proxychains4 tsocks dbus-run-session',
  ],
  [afterOne, 'timeout chroot taskset chrt setarch linux32 linux64 chpst softlimit setuidgid'],
  [shell, 'env sh bash zsh dash ksh ksh93 mksh ash fish csh tcsh rbash rksh pwsh yash'],
  [shell, 'su script parallel watch eval source . trap entr expect tmux screen at batch'],
  [shell, 'nix-shell'],
  [shellAfterOne, 'ssh flock dbus-launch'],
])

const interpreter =
  /^(?:python|pypy|ipython|perl|ruby|node|nodejs|deno|php|lua|luajit|tclsh|wish|guile|rscript|julia|osascript|groovy|scala|swift|ghci|irb|elixir|iex|erl|m4|ed|ex|vi|vim|vimdiff|view|rvim|gvim|nvim|emacs|emacsclient|nano|pico|gawk|mawk|nawk|awk|original-awk)[\d.]*$/

/** Whether a program runs code that it is given. */
export function isInterpreter(program: string): boolean {
  return interpreter.test(program)
}

/** Programs whose words are text and never the names of files to open (SHELL-07). */
export const opensNothing: ReadonlySet<string> = new Set(
  'echo printf true false : test [ pwd whoami id uname sleep exit seq expr basename dirname'.split(
    ' ',
  ),
)

/** Programs whose first word that is no option is a pattern or a script, not a path. */
export const patternFirst: ReadonlySet<string> = new Set(
  'grep egrep fgrep zgrep rg sed awk gawk mawk nawk'.split(' '),
)

/** Shell words that run code, change what names mean, or evaluate their arguments. */
export const changesShell: ReadonlySet<string> = new Set(
  'alias unalias let declare typeset local export readonly read mapfile readarray unset complete compgen compopt bind enable fc set shopt hash getopts ulimit umask disown suspend logout'.split(
    ' ',
  ),
)

/** Programs that destroy more than a file: never offered with a wildcard. */
export const destructive: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred dd shutdown reboot halt poweroff init telinit wipefs fdisk parted sfdisk mkswap kill killall pkill truncate chown'.split(
    ' ',
  ),
)

/** Directories whose programs are the system's own, so that a rule for the bare name means them. */
export const systemDirectories: ReadonlySet<string> = new Set([
  '/bin',
  '/usr/bin',
  '/usr/local/bin',
  '/sbin',
  '/usr/sbin',
  '/usr/local/sbin',
])
