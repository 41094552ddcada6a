import type { TranscriptMessage } from '../../../src/domain/message.ts'
import {
  type Model,
  type ModelAnswer,
  ModelError,
  type ModelRequest,
} from '../../../src/ports/model.ts'

/** What the model does in one step; a function streams for itself, if it streams at all. */
export type Step =
  | ModelAnswer
  | Error
  | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>)

/** What a model does after one message. */
export interface Scene {
  readonly requests: readonly ModelRequest[]
  /** What the model was told last, as one text. */
  lastHeard(): string
}

/** A model for many conversations at once: it goes by the message that opened a scene. */
export interface Scenes extends Model {
  /** After a message that begins with these words come these steps, an error once; the last one again and again. */
  on(opening: string, ...steps: readonly Step[]): Scene
}

interface OpenScene {
  readonly opening: string
  readonly steps: readonly Step[]
  readonly requests: ModelRequest[]
  /** Errors that were thrown: each took the place of an answer. */
  failures: number
}

export function createScenes(): Scenes {
  const scenes: OpenScene[] = []
  return {
    provider: 'offline',
    name: 'scripted',
    nativeTools: true,
    on: (opening, ...steps) => {
      const requests: ModelRequest[] = []
      scenes.push({ opening, steps, requests, failures: 0 })
      return { requests, lastHeard: () => heard(requests.at(-1)) }
    },
    answer: async (request) => {
      const { scene, step } = find(scenes, request.messages)
      scene.requests.push(request)
      const planned = scene.steps[Math.min(step + scene.failures, scene.steps.length - 1)]
      if (planned === undefined) throw new Error('a scene without steps')
      if (request.signal.aborted) throw new ModelError('aborted', 'stopped')
      if (planned instanceof Error) {
        scene.failures += 1
        throw planned
      }
      if (typeof planned === 'function') return planned(request)
      if (planned.text !== '') request.onText?.(planned.text)
      return planned
    },
  }
}

function find(
  scenes: readonly OpenScene[],
  messages: readonly TranscriptMessage[],
): { readonly scene: OpenScene; readonly step: number } {
  let step = 0
  for (const message of messages.toReversed()) {
    if (message.role === 'assistant') step += 1
    const scene =
      message.role === 'user'
        ? scenes.findLast(({ opening }) => message.text.startsWith(opening))
        : undefined
    if (scene !== undefined) return { scene, step }
  }
  throw new Error(`no scene opens so: ${heard({ messages })}`)
}

function heard(request: Pick<ModelRequest, 'messages'> | undefined): string {
  return (request?.messages ?? [])
    .filter(({ role }) => role !== 'assistant')
    .map(({ text }) => text)
    .join('\n')
}
