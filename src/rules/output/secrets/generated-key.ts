import { entropy } from './randomness.ts'

/** Letters, digits and the signs with which Django and password generators mix them; none that templates are made of. */
const characters = /^[\w!@#$%^&*()=+-]{40,128}$/
const leastSigns = 4
const leastEntropy = 4.3

/** A long random text with many signs: some of these look like a reference (`$(x)`, `%…%`) or like words between signs. */
export function isGeneratedKey(value: string): boolean {
  if (!characters.test(value)) return false
  const signs = new Set(value.replace(/[\w-]/g, ''))
  return signs.size >= leastSigns && entropy(value) >= leastEntropy
}
