import { posix } from 'node:path'
import type { GateFacts } from '../gate-facts.ts'
import type { Finding } from './finding.ts'

/** Paths that any command may name. */
const harmless =
  /^\/(dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)|usr|bin|sbin|lib|lib64)(\/|$)/

const networkPrograms: ReadonlySet<string> = new Set(
  (
    'aria2c axel curl dig ftp host lftp lynx links w3m mosh nc nc.openbsd nc.traditional ncat netcat nslookup nmap ping ping6 rlogin rsh rsync ' +
    'scp sftp socat ssh telnet tftp traceroute wget wget2 whois'
  ).split(' '),
)

/**
 * BOX-09: denies commands that a driver without namespaces would refuse, before asking for approval. Parses words like the
 * executor's `refuseCommand`; a test compares both. The executor also checks names of files.
 */
export function checkDriver(
  command: string,
  isBackground: boolean,
  facts: DriverFacts,
): readonly Finding[] {
  if (facts.refusesByLook !== true) return isBackground ? checkBackground(facts) : []
  const words = command
    .replace(/\\\n/g, '')
    .replace(/['"\\]/g, '')
    .split(/[\s;&|()<>`{}]+|\$\(/)
    .filter((word) => word !== '')
  const program = words.map((word) => posix.basename(word)).find((it) => networkPrograms.has(it))
  if (program !== undefined)
    return [denied(`it names ${program}, and commands have no network here`)]
  if (/\/dev\/(tcp|udp)\//.test(command)) return [denied('commands have no network here')]
  const outside = words.flatMap(pathsIn).find((path) => !isReachable(path, facts))
  if (outside === undefined) return []
  return [
    denied(`it names ${outside.slice(0, 200)}, which is outside what commands may reach here`),
  ]
}

type DriverFacts = Pick<GateFacts, 'refusesByLook' | 'workspace' | 'commandPaths'>

/** A background command needs a log, and so a workspace that commands can write to. */
function checkBackground({ workspace, commandPaths }: DriverFacts): readonly Finding[] {
  if (commandPaths.length === 0 || commandPaths.some((root) => isWithin(workspace, root))) return []
  const reason =
    'commands may not write to the workspace here, where the log of a background command would be'
  return [{ check: 'sandbox', action: 'deny', reason, isHazard: true }]
}

function denied(reason: string): Finding {
  const why = `${reason} (the sandbox driver "process" refuses it)`
  return { check: 'sandbox', action: 'deny', reason: why, isHazard: true }
}

/** A word, and the values after `=`, `:`, `,` or a short option in it. */
function pathsIn(word: string): readonly string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return []
  return word
    .split(/[=:,]/)
    .flatMap((part) => [part, part.replace(/^-[A-Za-z](?=[/~.])/, '')])
    .filter((part) => /^(\/|~|\$\{?HOME\b|\.\.(\/|$))|\/\.\.(\/|$)/.test(part))
}

function isReachable(path: string, { workspace, commandPaths }: DriverFacts): boolean {
  const expanded = path.replace(/^(~(?=\/|$)|\$HOME\b|\$\{HOME\})/, workspace)
  if (expanded.startsWith('~') || expanded.startsWith('$')) return false
  const absolute = posix.resolve(workspace, expanded)
  const roots = commandPaths.length === 0 ? [workspace] : commandPaths
  return harmless.test(absolute) || roots.some((root) => isWithin(absolute, root))
}

function isWithin(path: string, root: string): boolean {
  const base = posix.resolve(root)
  return path === base || path.startsWith(base === '/' ? '/' : `${base}/`)
}
