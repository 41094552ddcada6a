import type { Model, ModelAnswer, ModelRequest } from '../../src/ports/model.ts'

/** A model that answers at once, in this process, and remembers when. Times are of `performance.now()`. */
export interface BenchModel extends Model {
  /** When it last called a tool. */
  readonly calledAt: number
  /** When it was last given a tool's result. */
  readonly resultAt: number
  /** What that result said. */
  readonly result: string
}

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** Calls bash for a message that begins with `run `, and answers everything else in words. */
export function createBenchModel(): BenchModel {
  const seen = { calledAt: 0, resultAt: 0, result: '' }
  let calls = 0
  return {
    provider: 'offline',
    name: 'bench',
    nativeTools: true,
    get calledAt() {
      return seen.calledAt
    },
    get resultAt() {
      return seen.resultAt
    },
    get result() {
      return seen.result
    },
    async answer(request) {
      const last = request.messages.at(-1)
      if (last?.role === 'tool') {
        seen.resultAt = performance.now()
        seen.result = last.text
      }
      const command = commandIn(request)
      if (command === undefined) return { text: 'Done.', calls: [], usage }
      calls += 1
      seen.calledAt = performance.now()
      return callOfBash(`call_${calls}`, command)
    },
  }
}

function commandIn(request: ModelRequest): string | undefined {
  const last = request.messages.at(-1)
  if (last?.role !== 'user' || !last.text.startsWith('run ')) return undefined
  return last.text.slice('run '.length)
}

function callOfBash(id: string, command: string): ModelAnswer {
  return { text: '', calls: [{ id, tool: 'bash', arguments: JSON.stringify({ command }) }], usage }
}
