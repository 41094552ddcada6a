import { setTimeout as delay } from 'node:timers/promises'
import type { ToolRequest } from '../../src/domain/message.ts'
import {
  type Model,
  type ModelAnswer,
  ModelError,
  type ModelRequest,
} from '../../src/ports/model.ts'

/** What a script may answer with; an Error is thrown as it is. */
export type Scripted = ModelAnswer | Error

/** One answer a request, in turn (the last one again and again), or a function of the request. */
export type Script =
  | readonly Scripted[]
  | ((request: ModelRequest, index: number) => Scripted | Promise<Scripted>)

export interface ScriptedOptions {
  readonly nativeTools?: boolean
  /** Waited before each answer, in milliseconds; an abort ends it. */
  readonly delayMs?: number
  /** Goes on waiting although the signal fired, as some providers do. */
  readonly ignoresAbort?: boolean
}

export interface ScriptedModel extends Model {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[]
}

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** A model that says what a test wrote down, in this process. */
export function createScriptedModel(script: Script, options: ScriptedOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    provider: 'offline',
    name: 'scripted',
    nativeTools: options.nativeTools ?? true,
    requests,
    async answer(request) {
      const index = requests.push(request) - 1
      await pause(request.signal, options)
      const scripted =
        typeof script === 'function' ? await script(request, index) : pick(script, index)
      if (request.signal.aborted && options.ignoresAbort !== true) throw aborted()
      if (scripted instanceof Error) throw scripted
      if (scripted.text !== '') request.onText?.(scripted.text)
      return scripted
    },
  }
}

/** An answer in words, which ends a turn. */
export function say(text: string): ModelAnswer {
  return { text, calls: [], usage }
}

/** An answer that calls one tool. Arguments that are no string are written as JSON. */
export function call(tool: string, args: unknown, id?: string): ModelAnswer {
  return calls([toRequest(tool, args, id)])
}

/** An answer that calls several tools in one message. */
export function calls(requests: readonly ToolRequest[], text = ''): ModelAnswer {
  return { text, calls: requests, usage }
}

let lastId = 0

/** One tool call for `calls`, with a fresh id unless one is given. */
export function toRequest(tool: string, args: unknown, id = `call_${++lastId}`): ToolRequest {
  return { id, tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
}

function pick(script: readonly Scripted[], index: number): Scripted {
  const scripted = script[Math.min(index, script.length - 1)]
  if (scripted === undefined) throw new Error('the script is empty')
  return scripted
}

async function pause(
  signal: AbortSignal,
  { delayMs, ignoresAbort }: ScriptedOptions,
): Promise<void> {
  if (ignoresAbort !== true && signal.aborted) throw aborted()
  if (delayMs === undefined) return
  try {
    await delay(delayMs, undefined, ignoresAbort === true ? {} : { signal })
  } catch (cause) {
    throw aborted(cause)
  }
}

function aborted(cause?: unknown): ModelError {
  return new ModelError('aborted', 'The call of the scripted model was stopped.', { cause })
}
