/** What a container sees at a path: a directory, or a volume of the container's own, which is empty. */
export type Mounts = readonly (readonly [target: string, source: string])[]

const mount = /^((?:--volume=|-v)?)([^:]+):(\/[\w./-]+)(?::[a-z,]+)?$/i

/** SHELL-07: the places of `docker run -v data:/data -v ./x:/x`. */
export function mountsOf(words: readonly string[]): Mounts {
  return words.flatMap((word, at) => {
    const found = mountIn(word, words[at - 1])
    if (found === undefined) return []
    const isPath = /^[./~]/.test(found.source)
    return [[found.target.replace(/\/+$/, ''), isPath ? found.source : ''] as const]
  })
}

/** A word as it names a file outside the container: without the place of a mount in it, and from the directory behind that place. */
export function inMount(word: string, before: string | undefined, mounts: Mounts): string {
  const found = mountIn(word, before)
  if (found !== undefined) return found.option + found.source
  for (const [target, source] of mounts)
    if (word === target || word.startsWith(`${target}/`)) {
      const below = word.slice(target.length)
      return source === '' && !/(?:^|\/)\.\.(?:\/|$)/.test(below) ? below.slice(1) : source + below
    }
  return word
}

function mountIn(word: string, before = '') {
  if (!/^(?:-v|--volume)$/.test(before) && !/^(?:-v|--volume=)[^-]/.test(word)) return undefined
  const [, option, source, target] = mount.exec(word) ?? []
  if (option === undefined || source === undefined || target === undefined) return undefined
  return { option, source, target }
}
