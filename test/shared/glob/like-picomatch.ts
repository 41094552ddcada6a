import fc from 'fast-check'
import picomatch from 'picomatch'
import { literalPath } from '../../../src/shared/glob/path-glob.ts'

const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'é'), minLength: 1, maxLength: 3 })
const inner = fc.array(name, { minLength: 2, maxLength: 3 })
const part = fc.oneof(
  name,
  fc.constantFrom('*', '**', '?', '[ab]', '[^ab]', '[[:alpha:]]', '.env', '\\*', '\\('),
  inner.map((names) => `{${names.join(',')}}`),
  inner.map((names) => `(${names.join('|')})`),
  fc.tuple(fc.constantFrom('@', '?'), inner).map(([sign, names]) => `${sign}(${names.join('|')})`),
  // Where repeated alternatives begin alike, picomatch takes the group for plain text: it is afraid of the time.
  fc
    .tuple(fc.constantFrom('+', '*'), fc.uniqueArray(name, { minLength: 2, selector: ([a]) => a }))
    .map(([sign, names]) => `${sign}(${names.join('|')})`),
)
/** Path patterns of every kind of sign that two readers may read otherwise. */
export const pattern = fc
  .array(
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'))
const sample = fc.oneof(name, fc.constantFrom('.env', 'a', 'ab', 'b', '*', '(', 'x'))
/** Paths that such patterns may match. */
export const path = fc
  .array(
    fc.array(sample, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'))
/** Where picomatch has ways of its own: `**` beside another star or sign, and a star that a group follows. */
export const oddToPicomatch =
  /\*\*[^/]|[^/]\*\*|\*\/\*\*|\*\*\/\*|\*\*\/.*\*\*|[*?]\(.*\).*\*\*|[*?+][*?]|[*?)][?*+@(]/

/** What picomatch says of a path, with what our literal patterns cover besides: all below them. */
export function picomatches(glob: string, value: string): boolean {
  const theirs = (text: string) => picomatch(text, { dot: true, bash: true })(value)
  return theirs(glob) || (literalPath(glob) !== undefined && theirs(`${glob}/**`))
}
