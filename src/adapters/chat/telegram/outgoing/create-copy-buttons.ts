import { GrammyError } from 'grammy'
import type { SendOptions } from '../../outgoing/messenger.ts'

export interface CopyButtons {
  /** Makes the call with the button that copies if it may be there, and without it where the server does not take it. */
  use<Result>(
    options: SendOptions,
    call: (options: SendOptions) => Promise<Result>,
  ): Promise<Result>
}

/** `text` of https://core.telegram.org/bots/api#copytextbutton; counted so that no way of counting finds more. */
const longestText = 256

/** TG-06: `copy_text`, where the server has it (Bot API 7.11); whether it does is known once one was refused. */
export function createCopyButtons(): CopyButtons {
  let isOffered = true
  return {
    use: async (options, call) => {
      const { copy, ...others } = options
      if (copy === undefined || !isOffered || copy.text.length > longestText) return call(others)
      try {
        return await call(options)
      } catch (error) {
        if (!isForTheButton(error)) throw error
        if (isUnknownButton(error)) isOffered = false
        return call(others)
      }
    },
  }
}

function isForTheButton(error: unknown): error is GrammyError {
  return (
    error instanceof GrammyError && error.error_code === 400 && /button/i.test(error.description)
  )
}

/** What a server says of a button without a field that it knows. */
function isUnknownButton({ description }: GrammyError): boolean {
  return /text buttons are unallowed/i.test(description)
}
