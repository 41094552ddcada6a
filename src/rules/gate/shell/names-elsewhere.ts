import { posix } from 'node:path'
import { isReader } from '../orders/is-reader.ts'
import { isPlainWord, runsImage } from './programs/exec-forms.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { destructive, isInterpreter } from './programs/programs.ts'

const none: ReadonlySet<number> = new Set()

/**
 * SHELL-07: the indexes of words that look like outside paths but name nothing on this system: files of a container, a pod or a
 * phone, and keys of services. Rules about names still apply to them.
 */
export function namesElsewhere(words: readonly string[]): ReadonlySet<number> {
  if (!isSystemProgram(words[0] ?? '')) return none
  const program = baseName(words[0] ?? '')
  const remote = remoteCommand(program, words)
  const isFree = remote === undefined ? () => false : isFreeBehind(words, remote)
  const isKey = keysOf(program, words)
  const runs = runsImage.test(words.slice(0, 6).join(' '))
  const found = words.flatMap((word, at) => {
    if (runs && isWorkingDirectory(word, words[at - 1])) return [at]
    const isPlace = /^(?:-w|--workdir)$/.test(words[at - 1] ?? '')
    if (isPlace && remote !== undefined && at < remote)
      return destructive.has(baseName(words[remote] ?? '')) ? [] : [at]
    return isFree(word, at) || isKey(word, at) ? [at] : []
  })
  return new Set(found)
}

/** `-w /app` of a container that is started. */
function isWorkingDirectory(word: string, before = ''): boolean {
  const isPlace = /^(?:-w|--workdir)$/.test(before) && /^\/[\w./-]+$/.test(word)
  return isPlace || /^--workdir=\/[\w./-]+$/.test(word)
}

/** Kernel interfaces, sockets, secrets, private and hidden files, and the usual places where a host's files are mounted. */
const sensitive =
  /^(?:\/+(?:proc|sys|dev|run|var\/run|host\w*|rootfs|mnt|media|boot)(?:\/|$)|\/$|~)|\/\.|shadow|secret|\.sock/i

/** Programs that run or serve what lies in the container. */
const runsCode =
  /^(?:pytest|phpunit|rspec|jest|vitest|mocha|alembic|celery|nginx|apachectl|httpd|java|npm|yarn|pnpm|composer|rails|rake)$/

/** What is read in there, or run by an interpreter: other programs could change it. */
function isFreeBehind(
  words: readonly string[],
  remote: number,
): (word: string, at: number) => boolean {
  const inner = words.slice(remote)
  const name = baseName(inner[0] ?? '').toLowerCase()
  const isPlain = isReader(inner) && !/^(?:rm|rmdir|unlink)$/.test(name)
  if (!isPlain && !isInterpreter(name) && !runsCode.test(name)) return () => false
  // A value of an option may be a file that such a program writes.
  const isRead = (word: string, at: number): boolean =>
    isPlain || !(word.startsWith('-') || words[at - 1]?.startsWith('-') === true)
  return (word, at) => at >= remote && isRead(word, at) && !sensitive.test(posix.normalize(word))
}

/** The index of the first word of a command that runs on another system; undefined if an option may have taken that word. */
function remoteCommand(program: string, words: readonly string[]): number | undefined {
  const at = words.slice(0, 12).indexOf('exec')
  if (at === -1) return undefined
  if (program === 'kubectl' || program === 'oc') {
    const end = words.indexOf('--')
    return end > at ? end + 1 : undefined
  }
  if (!/^(?:docker|docker-compose|podman|nerdctl)$/.test(program)) return undefined
  if (!verbs.test(words.slice(1, at).join(' '))) return undefined
  let index = at + 1
  for (let word = words[index]; word?.startsWith('-'); word = words[index]) {
    if (!alone.test(word) && !valued.test(word)) return undefined
    index += valued.test(word) ? 2 : 1
  }
  return index + 1
}

/** `docker exec`, `docker container exec`, `docker compose -f x.yml exec`. */
const verbs = /^(?:container|compose(?: (?:-f|-p|--file|--project-name|--profile) [\w./-]+)*)?$/
const alone =
  /^(?:-[itdT]{1,3}|--(?:interactive|tty|detach|no-TTY)|--(?:user|workdir|env|index)=\S+)$/
const valued = /^(?:-[uwe]|--(?:user|workdir|env|index))$/

/** `adb -s emulator-5554 shell ls /sdcard`: the device's shell reads the words again, so that they must be plain. */
export function deviceCommand(words: readonly string[]): number | undefined {
  const [, first = ''] = words
  const from = first === '-s' ? 3 : 1 + Number(/^-[de]$/.test(first))
  return words[from] === 'shell' && words.slice(from).every(isPlainWord) ? from + 1 : undefined
}

/** Groups of `aws` whose commands open no files but those of `file://`. */
const ofAws =
  /^aws(?: --(?:profile|region|output)[ =][\w-]+| --no-(?:cli-pager|paginate))* (?:logs|ssm|iam|cloudwatch|secretsmanager|events|sns|sqs|kms|xray) /
const keyOfAws =
  /^(?:--(?:log-group-name(?:-prefix|-pattern)?|log-stream-name(?:-prefix)?|names?|path(?:-prefix)?|secret-id)=)?\/[\w.#/-]+$/

const ofGitHub =
  /^\/(?:repos|orgs|users?|search|gists|notifications|rate_limit|teams|enterprises|apps?)(?:\/[\w.{}-]+)*(?:\?[\w&=.%+:-]*)?$/

/** An option of `gh api` by which it changes something or reads a file. */
function sends(word: string): boolean {
  return /^-[A-Za-z]*[XfF]|^--(?:method|input|field|raw-field|cache)/.test(word)
}

/** Keys of services, which begin with a slash: `aws logs tail /aws/lambda/x`, `kubectl get --raw /healthz`. */
function keysOf(program: string, words: readonly string[]): (word: string, at: number) => boolean {
  const none = () => false
  const [, verb = ''] = words
  if (program === 'aws' && ofAws.test(words.slice(0, 12).join(' ')))
    return (word, at) =>
      keyOfAws.test(word) && !/^--(?:ca-bundle|cli-input-\w+)$/.test(words[at - 1] ?? '')
  if (program === 'az') return (word) => /^(?:--[a-z-]+=)?\/subscriptions\/[\w./-]+$/i.test(word)
  if (program === 'gh' && verb === 'api')
    return (word, at) =>
      (at === 2 && /^\/[\w./?&=-]+$/.test(word)) || (ofGitHub.test(word) && !words.some(sends))
  if (program === 'kubectl' && verb === 'get')
    return (word, at) => words[at - 1] === '--raw' || /^--raw=\/[\w./?&=-]*$/.test(word)
  if (program === 'etcdctl' && verb === 'get') return (word, at) => at === 2 && word.startsWith('/')
  if (program === 'adb' && /^(?:pull|push)$/.test(verb))
    return (word, at) =>
      word.startsWith('/sdcard/') &&
      (verb === 'pull' ? at === 2 : at > 2 && at === words.length - 1)
  return none
}
