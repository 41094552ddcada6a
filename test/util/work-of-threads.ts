/* Functions that tests run in threads. */

/** Blocks this thread until a time, without a processor. */
export function blockUntil(time: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, time - Date.now()))
}

export function failAt(time: number): never {
  blockUntil(time)
  throw new Error('failed')
}

export function hoard(): never {
  const hoarded: number[][] = []
  for (;;) hoarded.push(Array.from({ length: 10_000 }, (_, at) => at))
}
