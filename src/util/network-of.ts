import { isIPv6 } from 'node:net'

/** IPv6 is given out by networks of 64 bits at least: whoever has one has all of its addresses. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<string>(Math.max(gap, 0)).fill('0'), ...back].slice(0, 4).join(':')
}
