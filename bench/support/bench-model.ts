import type { Model, ModelAnswer, ModelRequest } from '../../src/ports/model.ts'

/** A model that answers at once, in this process, and tells when it was asked and when it had answered. */
export interface BenchModel extends Model {
  /** `performance.now()` of the latest request and answer. */
  readonly asked: number
  readonly answered: number
  /** What the latest tool result said. */
  readonly lastResult: string
}

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** Calls bash for a message that begins with `run `, and answers everything else in words. */
export function createBenchModel(): BenchModel {
  const seen = { asked: 0, answered: 0, lastResult: '' }
  let calls = 0
  return {
    provider: 'offline',
    name: 'bench',
    nativeTools: true,
    get asked() {
      return seen.asked
    },
    get answered() {
      return seen.answered
    },
    get lastResult() {
      return seen.lastResult
    },
    async answer(request) {
      seen.asked = performance.now()
      const last = request.messages.at(-1)
      if (last?.role === 'tool') seen.lastResult = last.text
      calls += 1
      const answer = answerTo(request, `call_${calls}`)
      seen.answered = performance.now()
      return answer
    },
  }
}

function answerTo(request: ModelRequest, id: string): ModelAnswer {
  const last = request.messages.at(-1)
  if (last?.role !== 'user' || !last.text.startsWith('run ')) return { text: 'Done.', calls: [], usage }
  const command = last.text.slice('run '.length)
  return { text: '', calls: [{ id, tool: 'bash', arguments: JSON.stringify({ command }) }], usage }
}
