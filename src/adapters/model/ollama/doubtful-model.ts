import { type Model, ModelError } from '../../../ports/model.ts'
import type { ModelAbilities } from './ask-ollama.ts'

export interface DoubtfulModel {
  /** The model with or without tool calls of its own, and by what else its server says of it. */
  readonly create: (nativeTools: boolean, abilities?: ModelAbilities) => Model
  /** Never rejects. */
  readonly ask: (signal: AbortSignal) => Promise<ModelAbilities>
  /** Why it is not known, in words without full stop. */
  readonly doubt: string
}

/**
 * MODEL-02: a model of which nobody could say yet whether it has tool calls of its own. It is taken to have them, and asked about
 * again before each answer; where it has none after all, that answer fails, and is asked for anew with another prompt (MODEL-04).
 */
export function createDoubtfulModel({ create, ask, doubt }: DoubtfulModel): Model {
  let model = create(true)
  let why: string | undefined = doubt
  return {
    provider: model.provider,
    name: model.name,
    get contextTokens() {
      return model.contextTokens
    },
    get nativeTools() {
      return model.nativeTools
    },
    get doubt() {
      return why
    },
    async answer(request) {
      if (why === undefined) return model.answer(request)
      const abilities = await ask(request.signal)
      why = abilities.kind === 'known' ? undefined : abilities.why
      if (abilities.kind !== 'known') return model.answer(request)
      model = create(abilities.nativeTools, abilities)
      if (abilities.nativeTools) return model.answer(request)
      // What offers no tools is the same for both kinds.
      if (request.tools.length === 0) return model.answer(request)
      const words = `${model.name} has no tool calls of its own, as Ollama says by now. It is asked again without them.`
      throw new ModelError('unreachable', words)
    },
  }
}
