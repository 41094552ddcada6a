/** How words of a client are read that only shows the objects which it is given. */
interface Client {
  readonly verbs: RegExp
  /** Options that stand alone, and those that take the next word. */
  readonly alone: RegExp
  readonly valued: RegExp
}

const container: Client = {
  verbs: /^(?:inspect|port|top|logs|stats|history)$/,
  alone: /^--(?:no-stream|size|no-trunc|timestamps|tail=\d+|since=\w+|format=.+|type=\w+)$/,
  valued: /^(?:-f|--format|--type|--tail|--since)$/,
}
const cluster: Client = {
  verbs: /^(?:get|describe|logs|top)$/,
  alone:
    /^(?:--(?:previous|all-containers|timestamps|no-headers|tail=\d+|since=\w+|namespace=[\w-]+)|(?:-o=?|--output=)(?:wide|yaml|json|name))$/,
  valued: /^(?:-n|--namespace|-c|--container|--tail|--since)$/,
}
const clients: Readonly<Record<string, Client>> = {
  docker: container,
  podman: container,
  kubectl: cluster,
}

const listsContainers =
  /^(?:ps|images|container ls|image ls)(?: (?:-[aq]+|--(?:all|quiet|no-trunc)))+$/
const listsObjects =
  /^get [a-z]+(?: (?:-A|--all-namespaces|-n [\w-]+|--namespace=[\w-]+|-l [\w./=,-]+|-o ?name|--output=name))+$/

/** SHELL-12: whether a command prints ids of containers, or names of objects behind their kind: none of them is an option. */
export function listsIds([program = '', ...rest]: readonly string[]): boolean {
  const text = rest.join(' ')
  if (program === 'docker' || program === 'podman')
    return listsContainers.test(text) && / (?:-a?qa?|--quiet)(?: |$)/.test(text)
  return (
    program === 'kubectl' && listsObjects.test(text) && / (?:-o ?|--output=)name(?: |$)/.test(text)
  )
}

/** Whether further words that are such ids are objects which a command shows, and no value of an option. */
export function showsObjects([program = '', ...rest]: readonly string[]): boolean {
  const client = Object.hasOwn(clients, program) ? clients[program] : undefined
  if (client === undefined) return false
  const operands: string[] = []
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? ''
    const isValued = client.valued.test(word)
    if (isValued && !/^[^-]/.test(rest[at + 1] ?? '')) return false
    if (isValued) at += 1
    else if (!word.startsWith('-')) operands.push(word)
    else if (!client.alone.test(word)) return false
  }
  const [verb = '', ...others] = operands
  return client.verbs.test(verb) && others.every((word) => word === '{}' || word === '%')
}
