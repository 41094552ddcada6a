/* What tests run in threads. */

export function failAt(time: number): never {
  while (Date.now() < time);
  throw new Error('failed')
}

export function hoard(): never {
  const hoarded: number[][] = []
  for (;;) hoarded.push(Array.from({ length: 10_000 }, (_, at) => at))
}
