import { expect, test } from 'vitest'
import { skipWhenBusy } from '../../src/util/each-of.ts'

test('REL-03 work is left out while so much of it is under way, and done again afterwards, also after a failure', async () => {
  const begun: string[] = []
  let gate = Promise.withResolvers<void>()
  const work = skipWhenBusy(2, (name: string) => {
    begun.push(name)
    return gate.promise
  })
  const first = [work('a'), work('b'), work('c')]
  expect(begun).toEqual(['a', 'b'])
  gate.reject(new Error('failed'))
  await Promise.allSettled(first)
  gate = Promise.withResolvers()
  void work('d')
  expect(begun).toEqual(['a', 'b', 'd'])
  gate.resolve()
})
