import fc from 'fast-check'
import { anyCharacter } from '../support/run/any-character.ts'

/** Something done to one place of a tree of JSON. */
interface Change {
  readonly at: number
  readonly value: unknown
  readonly isRemoval: boolean
}

const oddValues = [null, -1, 0, 1e300, '', 'private', [], {}, 'a\0b', '\ud800', 'x'.repeat(5_000)]

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  value: fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(...oddValues),
    fc.string({ unit: anyCharacter }),
  ),
  isRemoval: fc.boolean(),
})

/** Values that were right, with up to `most` of their fields replaced or taken away. */
export function nearly(samples: readonly object[], most = 4): fc.Arbitrary<object> {
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: most }))
    .map(([sample, changes]) => changes.reduce(mutate, structuredClone(sample)))
}

function mutate(tree: object, { at, value, isRemoval }: Change): object {
  const places = placesIn(tree)
  const place = places[at % places.length]
  if (place === undefined) return tree
  if (isRemoval) Reflect.deleteProperty(place.owner, place.key)
  else Reflect.set(place.owner, place.key, structuredClone(value))
  return tree
}

function placesIn(value: unknown): readonly { owner: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    { owner: value, key },
    ...placesIn(inner),
  ])
}

/** JSON that is thousands of levels deep, or names what objects inherit. */
export const deepJson: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 1, max: 30_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc
    .integer({ min: 1, max: 5_000 })
    .map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.constantFrom(
    '{"__proto__":{"update_id":1},"constructor":{"prototype":{}},"toString":1}',
    '{"update_id":1,"update_id":2,"message":null}',
    '[1,2',
    '\ufeff{}',
    'NaN',
  ),
)
