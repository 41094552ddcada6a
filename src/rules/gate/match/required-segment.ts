import { type GlobNode, slash } from '../../../shared/glob/glob-node.ts'
import { parsePathPattern } from '../../../shared/glob/path-glob.ts'

/**
 * A name that stands between slashes in every path that a glob matches, the longest of them; undefined where no name must:
 * `**` and a slash may stand for nothing, and what lies below a literal counts.
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
  for (const node of parsePathPattern(pattern) ?? []) {
    if (endsName(node)) end()
    else if (node.kind === 'character') current += String.fromCodePoint(node.code)
    else isWhole = false
  }
  end()
  return longest === '' || longest === '.' || longest === '..' ? undefined : longest
}

function endsName(node: GlobNode): boolean {
  const isSlash = node.kind === 'character' && node.code === slash
  return isSlash || node.kind === 'directories' || node.kind === 'below'
}
