import { unwrapped } from '../plain-wrappers.ts'
import { isSystemProgram } from './program-name.ts'
import { expressionAt } from './yq-expression.ts'

/** A group of commands whose operands name services, branches, packages or tests, never files. */
interface Names {
  /** The words behind the program, options left out, up to the names. */
  readonly verbs: RegExp
  /** Options before a name: those without a value, and those whose value is a name or a text. */
  readonly behind: RegExp
}

const none: ReadonlySet<number> = new Set()
/** No dot and no slash: an extension or a folder would make it a file. */
const plainName = /^@?[A-Za-z][\w:-]*(?:[=<>~^@]=?[\w.^~-]+)?$/
const refName = /^[A-Za-z][\w-]*(?:\/[A-Za-z][\w-]*){0,4}$/
const refRange = /^[A-Za-z][\w/-]*\.{2,3}[A-Za-z][\w/-]*$/
const flag =
  /^(?:-[qvDSEPg]+|--(?:quiet|verbose|silent|save-dev|save|save-exact|global|dev|json|depth=\d+))$/

const containers: Names = {
  verbs:
    /^(?:logs|start|stop|restart|inspect|top|port|stats|pause|unpause|wait|(?:container|volume|network) (?:inspect|ls)|compose (?:up|logs|restart|stop|start|ps|build|pull|top|port|images)|ps|secret (?:ls|inspect)) ?/,
  behind:
    /^(?:-[dfqit]+|--(?:follow|build|no-deps|detach|quiet|tail=\d+|since=\w+|no-log-prefix))$/,
}
const scripts: Names = {
  verbs: /^(?:run|run-script|ls|list|why|view|info|explain|outdated) /,
  behind: flag,
}
const units: Names = {
  verbs: /^(?:status|is-active|is-enabled|is-failed|show|cat|list-units|list-dependencies) /,
  behind: /^(?:-l|--(?:no-pager|full|user|lines=\d+))$/,
}

const table: Readonly<Record<string, Names>> = {
  docker: containers,
  podman: containers,
  npm: {
    ...scripts,
    verbs: /^(?:run|run-script|ls|list|why|view|info|explain|outdated|install|i|uninstall) /,
  },
  pnpm: scripts,
  yarn: scripts,
  pip: { verbs: /^(?:show|install|uninstall|index versions) /, behind: flag },
  pip3: { verbs: /^(?:show|install|uninstall|index versions) /, behind: flag },
  systemctl: units,
  make: { verbs: /^/, behind: /^(?:-j\d*|-s|-n|-B|-k)$/ },
  cargo: {
    verbs: /^(?:test|nextest run|tree|info|search) /,
    behind: /^(?:--(?:lib|release|exact|nocapture|ignored|all-features|workspace)?|-[ip])$/,
  },
  helm: { verbs: /^(?:status|history|list) /, behind: /^-[nA]$|^--namespace$/ },
  gh: {
    verbs: /^(?:(?:workflow|run|secret|variable) (?:list|view)) /,
    behind: /^(?:-w|--workflow|--env|-e)$/,
  },
  gcloud: { verbs: /^secrets (?:list|describe|versions list) /, behind: flag },
  aws: {
    verbs: /^secretsmanager (?:list-secrets|describe-secret) /,
    behind: /^--(?:region|profile|secret-id|max-items|output)$/,
  },
}

/** Options whose value is a text that chooses tests, changes or containers, by the command that takes them. */
const choosers: readonly (readonly [command: RegExp, option: RegExp])[] = [
  [/^(?:pytest|python3? -m pytest) /, /^-[km]$/],
  [/^(?:jest|vitest|npm (?:t|test|run test[\w:-]*)) /, /^(?:-t|--testNamePattern)$/],
  [/^(?:mocha|playwright test|npm (?:t|test|run test[\w:-]*)) /, /^(?:-g|--grep|--grep-invert)$/],
  [/^go test /, /^-(?:run|bench|skip)$/],
  [/^dotnet test /, /^--filter$/],
  [/^gradlew? /, /^--tests$/],
  [/^mvnw? /, /^-Dtest$/],
  [/^gh /, /^(?:-S|--search|--label|--author|--workflow)$/],
  [/^(?:docker|podman) (?:ps|images|volume ls|network ls) /, /^(?:-a?f|--filter)$/],
]

/** Whether a text could not name a file: it has no slash, and begins and ends like a word. */
const plainText = /^[A-Za-z*^(][^/~]*$/

/**
 * SHELL-07: the indexes of words that name objects of a service, a package manager or a repository, or a text that chooses
 * among tests, where the program opens no file of that name.
 */
export function objectNames(given: readonly string[]): ReadonlySet<number> {
  const words = withoutRunner(unwrapped(given))
  const [path = ''] = words
  const program = path.replace(/^\.\/(?=(?:gradlew|mvnw)$)/, '')
  const offset = given.length - words.length
  if (!isSystemProgram(program)) return none
  const begin = `${[program, ...words.slice(1, 4)].join(' ')} `
  const own = choosers.flatMap(([command, option]) => (command.test(begin) ? option : []))
  const isChosen = (option = ''): boolean => own.some((known) => known.test(option))
  const named = namesIn(program, words).map((at) => at + offset)
  if (own.length === 0) return named.length === 0 ? none : new Set(named)
  const texts = words.flatMap((word, at) => {
    const [option, value] = /^(-[^=]*)=(.*)$/s.exec(word)?.slice(1) ?? []
    const next = isChosen(words[at - 1]) ? word : undefined
    const text = isChosen(option) ? value : next
    return text !== undefined && plainText.test(text) ? [at + offset] : []
  })
  return new Set([...named, ...texts])
}

function namesIn(program: string, words: readonly string[]): readonly number[] {
  if (program === 'kubectl') return clusterNames(words)
  if (program === 'git') return refs(words)
  if (program === 'yq') return [expressionAt(words) ?? []].flat()
  return Object.hasOwn(table, program) ? plainNames(words, table[program]) : []
}

/** `npx vitest -t x` */
function withoutRunner(words: readonly string[]): readonly string[] {
  return words[0] === 'npx' && /^[a-z]/.test(words[1] ?? '') ? words.slice(1) : words
}

function plainNames(words: readonly string[], known: Names | undefined): readonly number[] {
  if (known === undefined) return []
  const operands = words.slice(1).filter((word) => !word.startsWith('-'))
  const verbs = known.verbs.exec(`${operands.slice(0, 4).join(' ')} `)?.[0].trim()
  if (verbs === undefined) return []
  // What follows belongs to a script, which may open it.
  const end = words.indexOf('--')
  const own = end === -1 ? words : words.slice(0, end)
  const script = own.findIndex((word) => /^run(?:-script)?$/.test(word)) + 1
  return own.flatMap((word, at) => {
    const before = own[at - 1] ?? ''
    const isFree = !before.startsWith('-') || known.behind.test(before)
    const isNamed = script === 0 || words[0] === 'cargo' || at <= script
    return at > 0 && isFree && isNamed && plainName.test(word) && !source.test(word) ? [at] : []
  })
}

/** `file:secret`, which names a folder. */
const source = /^(?:file|link|portal|workspace|git|https?|ssh):/

/** Names of branches and tags: `git switch`, `git checkout -b`, `git log main..feature`. */
function refs(words: readonly string[]): readonly number[] {
  const [, verb = '', first = ''] = words
  const areNames = /^(?:switch|branch|merge|rebase|cherry-pick)$/.test(verb)
  const isNew = verb === 'checkout' && /^-[bB]$/.test(first)
  const isRange = /^(?:log|diff|rev-list|shortlog|cherry|range-diff)$/.test(verb)
  return words.flatMap((word, at) => {
    if (at < 2 || word.startsWith('-')) return []
    const before = words[at - 1] ?? ''
    const isFree =
      !before.startsWith('-') || /^-(?:c|C|b|B|d|D|m|-create|-no-ff|-ff-only|-detach)$/.test(before)
    const isName = (areNames && isFree) || (isNew && at === 3)
    return (isName && refName.test(word)) || (isRange && refRange.test(word)) ? [at] : []
  })
}

/** Kinds of objects that hold no secrets, whose whole text may be shown. */
const openKinds =
  /^(?:po(?:ds?)?|deploy(?:ments?)?|svc|services?|ns|namespaces?|no(?:des?)?|jobs?|cj|cronjobs?|sts|statefulsets?|ds|daemonsets?|rs|replicasets?|ing|ingress(?:es)?|pvc?|persistentvolume(?:claim)?s?|hpa|ep|endpoints|sa|serviceaccounts?|events?|crds?)$/
const clusterFlag =
  /^(?:-[Awp]|--(?:all-namespaces|no-headers|show-labels|watch|previous|all-containers|timestamps|follow|tail=-?\d+|since=\w+|namespace=[\w-]+|context=[\w./@:-]+|selector=[\w./=,!-]+|timeout=\w+|sort-by=\.?\{?\.?metadata\.\w+\}?|output=(?:wide|name)|ignore-not-found)|-o=?(?:wide|name)|-l[\w./=,!-]+|-n[\w-]+)$/
const clusterValued: readonly (readonly [option: RegExp, value: RegExp])[] = [
  [/^(?:-n|--namespace|--context|-c|--container|--since|--tail|--timeout)$/, /^[\w./@:-]+$/],
  [/^(?:-l|--selector|--field-selector)$/, /^[\w./=,!-]+$/],
  [/^(?:-o|--output)$/, /^(?:wide|name)$/],
  [/^--sort-by$/, /^\.?\{?\.?metadata\.\w+\}?$/],
]
const clusterVerbs = /^(?:get|describe|logs|top|wait|rollout (?:status|history))(?= |$)/
const clusterName = /^[a-z][a-z0-9.,-]*(?:\/[a-z0-9][a-z0-9.-]*)?$/
/** Formats that print whole objects. */
const wholeObject =
  /^(?:-o=?|--output=)?(?:yaml|json|jsonpath=.*|custom-columns=.*|go-template=.*)$/s

/**
 * `kubectl get secret db` shows names, ages and sizes. What prints more of a secret (`-o yaml`, `-v 9`) names it, and so does any
 * option that is not listed.
 */
function clusterNames(words: readonly string[]): readonly number[] {
  const operands: number[] = []
  let isWhole = false
  let follows = false
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const valued = clusterValued.find(([option]) => option.test(word))
    const next = words[at + 1] ?? ''
    if (valued?.[1].test(next) === true) at += 1
    else if (wholeObject.test(word) && word.startsWith('-')) isWhole = true
    else if (/^(?:-o|--output)$/.test(word) && wholeObject.test(next)) {
      isWhole = true
      at += 1
    } else if (word === '-f') follows = true
    else if (word.startsWith('-') ? !clusterFlag.test(word) : !clusterName.test(word)) return []
    else if (!word.startsWith('-')) operands.push(at)
  }
  const text = operands.map((at) => words[at]).join(' ')
  const verbs = clusterVerbs.exec(text)?.[0]
  if (verbs === undefined || (follows && verbs !== 'logs')) return []
  const names = operands.slice(verbs.split(' ').length)
  if (!isWhole) return names
  const [kinds = '', name] = (words[names[0] ?? 0] ?? '').split('/')
  const areOpen = kinds.split(',').every((kind) => openKinds.test(kind))
  const others = names.slice(1).every((at) => !/[,/]/.test(words[at] ?? ''))
  return areOpen && others && (name !== undefined || names.length > 0) ? names : []
}
