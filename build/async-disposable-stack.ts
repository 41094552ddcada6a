/** A stand-in for the global class `AsyncDisposableStack`, which Node 22 lacks. */
export class DisposableStackOfNode22 implements AsyncDisposableStack {
  readonly [Symbol.toStringTag] = 'AsyncDisposableStack'
  #isDisposed = false
  #disposers: (() => unknown)[] = []

  get disposed(): boolean {
    return this.#isDisposed
  }

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    this.#assertOpen()
    if (value !== null && value !== undefined) this.#disposers.push(disposerOf(value))
    return value
  }

  adopt<T>(value: T, dispose: (value: T) => PromiseLike<void> | void): T {
    this.defer(() => dispose(value))
    return value
  }

  defer(dispose: () => PromiseLike<void> | void): void {
    this.#assertOpen()
    this.#disposers.push(dispose)
  }

  move(): AsyncDisposableStack {
    this.#assertOpen()
    const moved = new DisposableStackOfNode22()
    moved.#disposers = this.#disposers
    this.#disposers = []
    this.#isDisposed = true
    return moved
  }

  async disposeAsync(): Promise<void> {
    this.#isDisposed = true
    const disposers = this.#disposers.splice(0).reverse()
    let failure: { readonly error: unknown } | undefined
    for (const dispose of disposers) {
      try {
        await dispose()
      } catch (error) {
        failure = { error: failure === undefined ? error : suppressing(error, failure.error) }
      }
    }
    if (failure !== undefined) throw failure.error
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync()
  }

  #assertOpen(): void {
    if (this.#isDisposed) throw new ReferenceError('This stack is disposed of already')
  }
}

function disposerOf(value: AsyncDisposable | Disposable): () => unknown {
  const dispose =
    (Symbol.asyncDispose in value ? value[Symbol.asyncDispose] : undefined) ??
    (Symbol.dispose in value ? value[Symbol.dispose] : undefined)
  if (typeof dispose !== 'function') throw new TypeError('The value cannot be disposed of')
  return () => dispose.call(value)
}

/** A `SuppressedError` as the lowered form of `using` makes it. */
function suppressing(error: unknown, suppressed: unknown): Error {
  return Object.assign(new Error(), { name: 'SuppressedError', error, suppressed })
}

/** @public Node's own class, or the stand-in. Nothing imports it: the bundler puts it where the global is named. */
export const AsyncDisposableStack: new () => AsyncDisposableStack =
  globalThis.AsyncDisposableStack ?? DisposableStackOfNode22
