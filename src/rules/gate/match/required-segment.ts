import { parseGlob } from './glob-syntax.ts'

/**
 * A name that stands between slashes in every path that a glob matches, the longest of them; undefined where no name must.
 * `toPathGlob` reads the glob the same way: what lies below a literal counts, and `/**` at the end may stand for nothing.
 */
export function requiredSegment(pattern: string): string | undefined {
  // What a backslash takes for itself is told apart by the glob alone.
  if (pattern.includes('\\')) return undefined
  let current = ''
  let isWhole = true
  let longest = ''
  const end = (): void => {
    if (isWhole && current.length > longest.length) longest = current
    current = ''
    isWhole = true
  }
  for (const node of parseGlob(withoutEnd(pattern))) {
    if (node.kind === 'directories' || (node.kind === 'character' && node.code === slash)) end()
    else if (node.kind === 'character') current += String.fromCodePoint(node.code)
    else isWhole = false
  }
  end()
  return longest === '' || longest === '.' || longest === '..' ? undefined : longest
}

const slash = 47

function withoutEnd(pattern: string): string {
  const shorter = pattern.replace(/\/(?:\*\*)?$/, '')
  return shorter === pattern || shorter === '' ? pattern : withoutEnd(shorter)
}
