/**
 * Words that are no options and no files, by what prints them. `ids`: of containers, or names of objects of a cluster. `hashes`:
 * of commits. `packages`: import paths of Go.
 */
export type ObjectKind = 'ids' | 'hashes' | 'packages'

export function isObjectKind(kind: string): kind is ObjectKind {
  return kind === 'ids' || kind === 'hashes' || kind === 'packages'
}

/** How words of a client are read that only shows the objects which it is given. */
interface Client {
  readonly verbs: RegExp
  /** Options that stand alone, and those that take the next word, with its form. */
  readonly alone: RegExp
  readonly valued: readonly (readonly [option: RegExp, value: RegExp])[]
}

const word = /^[^-]/
const container: Client = {
  verbs: /^(?:inspect|port|top|logs|stats|history|(?:volume|network|container|image) inspect)$/,
  alone: /^--(?:no-stream|size|no-trunc|timestamps|tail=\d+|since=\w+|format=.+|type=\w+)$/,
  valued: [[/^(?:-f|--format|--type|--tail|--since)$/, word]],
}
const cluster: Client = {
  verbs: /^(?:(?:get|describe)(?: [a-z]+)?|logs|top (?:pod|node)s?)$/,
  alone:
    /^(?:--(?:previous|all-containers|timestamps|no-headers|tail=\d+|since=\w+|namespace=[\w-]+)|(?:-o=?|--output=)(?:wide|yaml|json|name|jsonpath=.+|custom-columns=.+))$/,
  valued: [
    [/^(?:-n|--namespace|-c|--container|--tail|--since)$/, word],
    [/^(?:-o|--output)$/, /^(?:wide|yaml|json|name|jsonpath=.*|custom-columns=.*)$/],
  ],
}
const clients: Readonly<Record<string, Client>> = {
  docker: container,
  podman: container,
  kubectl: cluster,
}

const filter = String.raw`(?:-[aql]*f|--filter)[ =][\w.=:/-]+`
const listsContainers = new RegExp(
  String.raw`^(?:ps|images|container ls|image ls|volume ls|network ls|compose ps)(?: (?:\w[\w./:-]*|-[aql]+|--(?:all|quiet|latest|no-trunc)|--format[ =]\{\{\.(?:ID|Names)\}\}|${filter}))+$`,
)
const showsOnlyIds = / (?:-[al]*q[al]*f?|--quiet|--format[ =]\S+)(?: |$)/
const chosen = String.raw`-A|--all-namespaces|-n [\w-]+|--namespace=[\w-]+|(?:-l|--selector|--field-selector)[ =][\w./=,!-]+|--no-headers`
const names = String.raw`-o ?name|--output[ =]name|-o ?jsonpath=["']?\{\.(?:items\[(?:\d+|\*)\]\.)?metadata\.name\}["']?`
const listsObjects = new RegExp(`^get [a-z]+(?: (?:${chosen}|${names}))+$`)
const showsOnlyNames = new RegExp(` (?:${names})(?: |$)`)
const listsRows = new RegExp(`^get [a-z]+(?: (?:${chosen}))+$`)
/** A name with its kind before it, or of a kind whose names begin with a letter or digit; those of roles may begin with a dash. */
const isNoOption =
  /(?:-o ?|--output[ =])name(?: |$)|^get (?:po(?:ds?)?|deploy(?:ments?)?|svc|services?|ns|namespaces?|no(?:des?)?|jobs?|cj|cronjobs?|sts|statefulsets?|ds|daemonsets?|rs|replicasets?|cm|configmaps?|secrets?|ing|ingress(?:es)?|pvc?|persistentvolume(?:claim)?s?|hpa|horizontalpodautoscalers?|ep|endpoints|sa|serviceaccounts?|crds?)(?: |$)/

/** Prints hashes of commits, or the word itself where there is no such commit. */
const listsHashes =
  /^(?:branch --show-current|branch(?: -[ar]| --(?:all|remotes)| --(?:no-)?merged(?: \w[\w./-]*)?)* --format=%\(refname:short\)|for-each-ref(?: --sort=-?\w+| --count=\d+)* --format=%\(refname:short\)(?: refs\/[\w/-]+)?|symbolic-ref --short HEAD|rev-parse --abbrev-ref HEAD|describe(?: --tags| --abbrev=0)*|merge-base(?: --fork-point)? \w[\w./~^-]*(?: \w[\w./~^-]*)?|rev-parse(?: --verify| --short(?:=\d+)?)* [A-Za-z][\w./~^-]*|rev-list(?: -n ?\d+| -\d+| --(?:max-count=\d+|reverse|no-merges|all))* \w[\w./~^-]*|log(?: -n ?\d+| -\d+)? --(?:format|pretty)=(?:format:)?%[hH](?: -n ?\d+| -\d+)?(?: \w[\w./~^-]*)?)$/
const listsPackages = /^list(?: (?:\.|\.?\/?(?:[\w-]+\/)*(?:\.\.\.|[\w-]+)))*$/

const listsProcesses =
  /^(?:pgrep(?: -[fxno]+)* [\w./:-]+|pidof \w[\w-]*|lsof (?:-n |-P )*(?:-ti ?(?:tcp)?:\d+|-t -i ?(?:tcp)?:\d+|-i ?(?:tcp)?:\d+ -t))$/

/** SHELL-12: the kind of objects that a command prints, a word each or a line each: none of them is an option. */
export function listedObjects([program = '', ...rest]: readonly string[]): ObjectKind | undefined {
  if (rest.some((word) => /\s/.test(word))) return undefined
  const text = withoutNamespace(rest.join(' '))
  if (program === 'docker' || program === 'podman')
    return listsContainers.test(text) && showsOnlyIds.test(text) ? 'ids' : undefined
  if (program === 'kubectl')
    return listsObjects.test(text) && showsOnlyNames.test(text) && isNoOption.test(text)
      ? 'ids'
      : undefined
  if (program === 'pgrep' || program === 'lsof' || program === 'pidof')
    return listsProcesses.test(`${program} ${text}`) ? 'ids' : undefined
  if (program === 'git') return listsHashes.test(text) ? 'hashes' : undefined
  return program === 'go' && listsPackages.test(text) ? 'packages' : undefined
}

/** `kubectl -n x get pods` */
function withoutNamespace(text: string): string {
  return text.replace(/^(?:(?:-n|--namespace|--context)[ =][\w.-]+ )+(?=get )/, '')
}

/** Whether a command prints a table whose first column holds names of objects. */
export function listsObjectRows([program = '', ...rest]: readonly string[]): boolean {
  const text = withoutNamespace(rest.join(' '))
  const isTable = listsRows.test(text) && /--no-headers/.test(text)
  return program === 'kubectl' && isTable && isNoOption.test(text)
}

const showsCommits =
  /^(?:diff|log|show|shortlog|rev-list|rev-parse|describe|name-rev|cat-file|ls-tree|diff-tree|blame|merge-base)$/
const writesElsewhere = /^--(?:out|ext|textc|pathspec-from)|^-[oO]/

/** The kind of objects that further words of a command, or those that are `{}`, may be without any other meaning. */
export function takenObjects(words: readonly string[]): ObjectKind | undefined {
  const [program = '', verb = '', ...rest] = words
  if (program === 'git')
    return showsCommits.test(verb) && !rest.some((word) => writesElsewhere.test(word))
      ? 'hashes'
      : undefined
  if (program === 'go')
    return /^(?:vet|test|build|list|doc)$/.test(verb) && rest.every(isPlainOfGo)
      ? 'packages'
      : undefined
  if (program === 'ps') return rest.every((word) => isOfPs.test(word)) ? 'ids' : undefined
  return showsObjects(words) ? 'ids' : undefined
}

const isPlainOfGo = (word: string): boolean =>
  /^(?:-(?:race|v|short|cover|json|run=?[\w|$^]*|count=\d+|timeout=\w+)|[^-].*)$/.test(word)

const isOfPs = /^(?:-[pfoHL]+|--(?:no-headers|forest|pid)|[a-z%,=]+|\{\})$/

/** `docker build -t {} .`, `docker tag {} x`: the name of an image. */
function isTag([verb = '', ...rest]: readonly string[]): boolean {
  const at = rest.indexOf('{}')
  return verb === 'build'
    ? /^(?:-t|--tag)$/.test(rest[at - 1] ?? '')
    : rest.every((one) => !one.startsWith('-') || /^-(?:q|-quiet)$/.test(one))
}

function showsObjects([program = '', ...rest]: readonly string[]): boolean {
  const client = Object.hasOwn(clients, program) ? clients[program] : undefined
  if (client === undefined) return false
  if (client === container && /^(?:build|tag|push|pull)$/.test(rest[0] ?? '')) return isTag(rest)
  const operands: string[] = []
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? ''
    const valued = client.valued.find(([option]) => option.test(word))
    if (valued !== undefined && !valued[1].test(rest[at + 1] ?? '')) return false
    if (valued !== undefined) at += 1
    else if (!word.startsWith('-')) operands.push(word)
    else if (!client.alone.test(word)) return false
  }
  const given = operands.filter((word) => word !== '{}' && word !== '%')
  const isLast = operands.slice(0, given.length).every((word, at) => word === given[at])
  return isLast && client.verbs.test(given.join(' '))
}
