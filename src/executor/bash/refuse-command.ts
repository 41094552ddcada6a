import { lstatSync } from 'node:fs'
import { posix } from 'node:path'
import type { FileRules } from '../../domain/tool/file-rules.ts'

/**
 * BASH-06: programs that `bash` refuses if the box cannot disable the network. Weaker than a namespace, since a script
 * can open a socket.
 */
const networkPrograms: ReadonlySet<string> = new Set([
  'aria2c',
  'axel',
  'curl',
  'dig',
  'ftp',
  'host',
  'lftp',
  'lynx',
  'links',
  'w3m',
  'mosh',
  'nc',
  'nc.openbsd',
  'nc.traditional',
  'ncat',
  'netcat',
  'nslookup',
  'nmap',
  'ping',
  'ping6',
  'rlogin',
  'rsh',
  'rsync',
  'scp',
  'sftp',
  'socat',
  'ssh',
  'telnet',
  'tftp',
  'traceroute',
  'wget',
  'wget2',
  'whois',
])

/** Paths that any command may name: devices without data, and the system's programs. */
const harmless =
  /^\/(dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)|usr|bin|sbin|lib|lib64)(\/|$)/

/**
 * BASH-06, BASH-10: returns why a command is refused in a box without confinement; undefined if it is not. Judging by
 * words, it errs in both directions; it guides honest commands and is no security boundary.
 */
export function refuseCommand(
  command: string,
  rules: FileRules,
  refuses: ReadonlySet<'network' | 'outside'>,
): string | undefined {
  const words = toWords(command)
  if (refuses.has('network')) {
    const program = words
      .map((word) => posix.basename(word))
      .find((name) => networkPrograms.has(name))
    if (program !== undefined) {
      return `Network is off, so the program ${program} is refused (by name only: this box cannot do better); an operator can give commands a network, \`countersign doctor\` says how`
    }
    if (/\/dev\/(tcp|udp)\//.test(command))
      return 'Network is off, so /dev/tcp and /dev/udp are refused'
  }
  if (!refuses.has('outside')) return undefined
  const outside = words
    .flatMap((word) => toPaths(word, rules))
    .find((path) => !isReachable(path, rules))
  return outside === undefined
    ? undefined
    : `The command names ${outside.slice(0, 200)}, which is outside the directories that commands may reach`
}

/** Splits a command into words, with quotes and backslashes removed. */
function toWords(command: string): string[] {
  return command
    .replace(/\\\n/g, '')
    .replace(/['"\\]/g, '')
    .split(/[\s;&|()<>`{}]+|\$\(/)
    .filter((word) => word !== '')
}

/** Returns paths that a word may name: itself and the parts after `=`, `:`, `,` or a short flag. URLs are not paths. */
function toPaths(word: string, rules: FileRules): string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return []
  const parts = word
    .split(/[=:,]/)
    .flatMap((part) => [part, part.replace(/^-[A-Za-z](?=[/~.])/, '')])
  const isInWorkspace = isReachable('.', rules) ? () => false : namesEntry(rules.workspace)
  return parts.filter(
    (part) => /^(\/|~|\$\{?HOME\b|\.\.(\/|$))|\/\.\.(\/|$)/.test(part) || isInWorkspace(part),
  )
}

/**
 * If commands may not access the workspace, in which they run: recognises words with a slash or wildcard, or the name of
 * an existing entry.
 */
function namesEntry(workspace: string): (part: string) => boolean {
  return (part) => {
    if (part === '' || part.startsWith('-')) return false
    if (/[/*?[]/.test(part) || part === '.') return true
    return isThere(posix.join(workspace, part))
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // The name is too long to exist.
    return false
  }
}

/** Whether commands may name a path in a box without confinement. */
export function isReachable(path: string, rules: FileRules): boolean {
  const { workspace } = rules
  const expanded = path.replace(/^(~(?=\/|$)|\$HOME\b|\$\{HOME\})/, workspace)
  if (expanded.startsWith('~') || expanded.startsWith('$')) return false
  const absolute = posix.resolve(workspace, expanded)
  const roots = rules.allowed.length === 0 ? [workspace] : rules.allowed
  return harmless.test(absolute) || roots.some((root) => isWithin(absolute, root))
}

function isWithin(path: string, root: string): boolean {
  const base = posix.resolve(root)
  return path === base || path.startsWith(base === '/' ? '/' : `${base}/`)
}
