import type { ToolError } from '../../domain/tool/tool-error.ts'

/** Job for a page thread. */
export type PageJob =
  | {
      readonly kind: 'text'
      readonly html: string
      /** Base of relative links. */
      readonly url: string
      readonly maxCharacters: number
    }
  /** Validates a selector before a page is fetched. */
  | { readonly kind: 'check'; readonly select: string }
  | {
      readonly kind: 'select'
      readonly markup: string
      readonly isXml: boolean
      readonly select: string
      /** `text`, `html` or `attr:NAME`. */
      readonly extract: string
      readonly limit: number
      readonly maxCharacters: number
    }

export type PageAnswer =
  | { readonly kind: 'ok'; readonly output: string }
  | { readonly kind: 'error'; readonly error: ToolError }
