import { describe, expect, test } from 'vitest'
import { DisposableStackOfNode22 } from '../../build/async-disposable-stack.ts'

describe.each([
  ['of Node', AsyncDisposableStack],
  ['for Node 22', DisposableStackOfNode22],
])('the stack of resources %s', (_name, Stack) => {
  test('SHIP-02 disposes of all in reverse order, each once, and waits for each', async () => {
    const stack = new Stack()
    const seen: string[] = []
    const resource = { [Symbol.asyncDispose]: async () => void seen.push('async') }
    expect(stack.use(resource)).toBe(resource)
    stack.use({ [Symbol.dispose]: () => void seen.push('sync') })
    stack.use(undefined)
    stack.defer(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      seen.push('deferred')
    })
    expect(stack.adopt('adopted', (value) => void seen.push(value))).toBe('adopted')
    expect(stack.disposed).toBe(false)
    await stack.disposeAsync()
    await stack[Symbol.asyncDispose]()
    expect(seen).toEqual(['adopted', 'deferred', 'sync', 'async'])
    expect(stack.disposed).toBe(true)
    expect(() => stack.defer(() => undefined)).toThrow(ReferenceError)
  })

  test('SHIP-02 hands all over to another one, and what is not disposable is refused', async () => {
    const stack = new Stack()
    let count = 0
    stack.defer(() => {
      count += 1
    })
    const moved = stack.move()
    expect([stack.disposed, moved.disposed]).toEqual([true, false])
    await stack.disposeAsync()
    expect(count).toBe(0)
    await moved.disposeAsync()
    expect(count).toBe(1)
    expect(() => new Stack().use(JSON.parse('{}'))).toThrow(TypeError)
  })

  test('SHIP-02 goes on after failures, and throws the last with those before it', async () => {
    const stack = new Stack()
    let isReached = false
    stack.defer(() => {
      isReached = true
    })
    stack.defer(() => Promise.reject(new Error('second')))
    stack.defer(() => {
      throw new Error('first')
    })
    await expect(stack.disposeAsync()).rejects.toMatchObject({
      name: 'SuppressedError',
      error: { message: 'second' },
      suppressed: { message: 'first' },
    })
    expect(isReached).toBe(true)
    const other = new Stack()
    other.defer(() => Promise.reject(new Error('alone')))
    await expect(other.disposeAsync()).rejects.toThrow('alone')
  })
})
