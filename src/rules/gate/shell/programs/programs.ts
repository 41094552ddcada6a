import type { EffectKind } from '../../../../domain/effect.ts'
/** The handling of a program that runs another one (SHELL-04). */
export interface Wrapper {
  /** Number of words before the inner command that are not options, such as a host or a duration. */
  readonly operands: number
  /** Its words may hold shell code. */
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

/** Programs that run other programs, including shells. */
export const wrappers: ReadonlyMap<string, Wrapper> = table([
  [plain, 'sudo sudoedit doas pkexec gosu su-exec command builtin exec nohup nice ionice'],
  [plain, 'time stdbuf setsid xargs unshare nsenter busybox toybox fakeroot proot firejail bwrap'],
  [plain, 'eatmydata strace ltrace valgrind perf gdb catchsegv systemd-run start-stop-daemon'],
  [plain, 'daemonize daemon unbuffer run-parts prlimit numactl setpriv capsh cgexec rlwrap'],
  [
    plain,
    'choom uclampset coproc ld.so nocache torsocks proxychains proxychains4 tsocks dbus-run-session',
  ],
  [afterOne, 'timeout chroot taskset chrt setarch linux32 linux64 chpst softlimit setuidgid'],
  [shell, 'env sh bash zsh dash ksh ksh93 mksh ash fish csh tcsh rbash rksh pwsh yash'],
  [shell, 'su runuser script parallel watch eval source . trap entr expect tmux screen at batch'],
  [
    shell,
    'nix-shell nu elvish xonsh oil osh mosh rsh rlogin sg sshpass autossh powershell cmd wsl',
  ],
  [
    shell,
    'concurrently hyperfine watchexec nodemon onchange chokidar reflex pee mispipe dtach abduco',
  ],
  [
    shell,
    'pssh parallel-ssh pdsh clush dsh mussh byobu zellij crosh xterm gnome-terminal konsole alacritty kitty urxvt ansible systemd-nspawn',
  ],
  [shell, 'cross-env-shell wait-on start-server-and-test npm-run-all run-s run-p'],
  [
    plain,
    'chronic ifne zrun cpulimit trickle schedtool hugectl fakechroot fakeroot-ng schroot gtime gtimeout gnice gxargs ' +
      'genv gstdbuf caffeinate arch cross-env dotenv dotenvx env-cmd direnv ssh-agent envchain aws-vault chamber doppler ' +
      'teller newgrp coreutils sbase-box ubase-box lldb gdbserver rr uftrace bpftrace stap heaptrack xvfb-run x11docker ' +
      'torify usewithtor kdesu gksudo gksu please sudo-rs run0 annotate-output lxc-attach lxc-execute pseudo cowbuilder ' +
      'pbuilder wine wine64 qemu-x86_64 qemu-aarch64 qemu-arm qemu-i386 qemu-x86_64-static box64 rosetta exch ' +
      'xdg-open open gio kde-open exo-open sensible-browser run-mailcap see sensible-pager sensible-editor ' +
      'nsjail minijail0 landrun bubblewrap isolate slirp4netns rootlesskit pasta sexec dosu runas stdbuf-rs tini dumb-init ' +
      'catatonit s6-setuidgid s6-envdir envdir envuidgid pgrphack setlock argv0 fghack execlineb with-contenv unionfs-fuse ' +
      'systemd-inhibit systemd-cat systemd-cgls systemd-tmpfiles systemd-socket-activate mpirun mpiexec srun sbatch qsub',
  ],
  [afterOne, 'faketime datefudge logsave lckdo linux64 i386 x86_64 setarch uname26 with-lock-ex'],
  [shellAfterOne, 'ssh flock dbus-launch'],
])

const interpreter =
  /^(?:python|pypy|ipython|perl|ruby|node|nodejs|deno|php|lua|luajit|tclsh|wish|guile|rscript|julia|osascript|groovy|scala|swift|ghci|irb|elixir|iex|erl|m4|ed|ex|vi|vim|vimdiff|view|rvim|gvim|nvim|emacs|emacsclient|nano|pico|gawk|mawk|nawk|awk|original-awk|r|mongo|mongosh|ts-node|tsx|babel-node|swc-node|clojure|clj|bb|racket|sbcl|clisp|ecl|csi|ocaml|utop|octave|octave-cli|gnuplot|matlab|maxima|gjs|qjs|jshell|kotlin|scheme|gosh|chez|janet|fennel|raku|rakudo|slsh|bsh|jruby|jython|ammonite|amm|pypy3|pry|rdmd|crystal|nim|tcc)[\d.]*$/

/** Whether a program runs code from its arguments or input. */
export function isInterpreter(program: string): boolean {
  return interpreter.test(program)
}

/** Programs whose words are text, never names of files to open (SHELL-07). */
export const opensNothing: ReadonlySet<string> = new Set(
  'echo printf true false : test [ [[ pwd whoami id uname sleep exit seq expr basename dirname break continue type which whereis'.split(
    ' ',
  ),
)

/** Programs whose first non-option word is a pattern or a script, not a path. */
export const patternFirst: ReadonlySet<string> = new Set(
  'grep egrep fgrep zgrep rg sed awk gawk mawk nawk'.split(' '),
)

/** Shell built-ins that run code, change the meaning of names, or evaluate their arguments. */
export const changesShell: ReadonlySet<string> = new Set(
  'alias unalias let declare typeset local export readonly read mapfile readarray unset complete compgen compopt bind enable fc set shopt hash getopts ulimit umask disown suspend logout'.split(
    ' ',
  ),
)

function kindsOf(
  entries: Readonly<Partial<Record<EffectKind, string>>>,
): Readonly<Record<string, EffectKind>> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([kind, names]) =>
      names.split(' ').map((name) => [name, kind as EffectKind] as const),
    ),
  )
}

/** Effects of programs that have no other purpose. */
export const programEffects: Readonly<Record<string, EffectKind>> = kindsOf({
  deletes: 'rm rmdir unlink shred srm wipe',
  empties: 'truncate',
  changes_disks:
    'dd mkfs mke2fs blkdiscard sgdisk gdisk cfdisk cryptsetup wipefs fdisk parted sfdisk mkswap mount umount',
  stops_programs: 'shutdown reboot halt poweroff init telinit kill killall pkill skill',
  changes_owner: 'chown chgrp chattr',
  changes_users: 'userdel groupdel',
})

/** Programs that destroy more than a file; never offered with a wildcard. */
export const destructive: ReadonlySet<string> = new Set(Object.keys(programEffects))

/** Programs that exist to use the network. */
export const networked: ReadonlySet<string> = new Set(
  'curl wget ssh scp sftp rsync ftp telnet nc ncat netcat socat'.split(' '),
)

/** Editors, mail programs and similar, in which a key or a line runs a command. */
export const runsOnRequest: ReadonlySet<string> = new Set(
  (
    'vi vim view nvim gvim rvim vimdiff ex ed emacs emacsclient nano pico m4 micro joe jmacs jstar jpico ne kak hx helix mg ' +
    'zile jed vis red rnano sam code codium subl atom gedit kate mc mcedit ranger nnn lf vifm vipe vidir visudo vipw vigr ' +
    'sudoedit ftp lftp ncftp mail mailx s-nail mutt neomutt sendmail exim exim4 postfix telnet dc irssi weechat tig lazygit ' +
    'gitui most pg w3m elinks links lynx info pinfo cscope logrotate anacron cron socat slsh dialog whiptail'
  ).split(' '),
)

/** System directories: a rule with a bare name applies to programs in them. */
export const systemDirectories: ReadonlySet<string> = new Set([
  '/bin',
  '/usr/bin',
  '/usr/local/bin',
  '/sbin',
  '/usr/sbin',
  '/usr/local/sbin',
])
