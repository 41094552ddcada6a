import { isIPv6 } from 'node:net'

/** An IPv6 client has at least a /64 network and can use all of its addresses, so the network is the key. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<string>(Math.max(gap, 0)).fill('0'), ...back].slice(0, 4).join(':')
}
