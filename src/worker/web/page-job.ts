import type { ToolError } from '../../domain/tool/tool-error.ts'

/** What a page's thread is asked. */
export type PageJob =
  | {
      readonly kind: 'text'
      readonly html: string
      /** Relative links start there. */
      readonly url: string
      readonly maxCharacters: number
    }
  /** Whether a selector is one, before anybody is asked for a page. */
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
