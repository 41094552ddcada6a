/** DOC-03: error codes of the HTTP API (`/v1/`), with their HTTP status. Codes are stable. */
export const apiErrors = {
  BODY_INVALID: { status: 400, meaning: 'The body has a wrong or unknown field, or is not JSON.' },
  TOKEN_INVALID: { status: 401, meaning: 'The token is missing, unknown or revoked.' },
  FOREIGN_PAGE: { status: 403, meaning: 'A page of another origin asks from a browser.' },
  NOT_FOUND: {
    status: 404,
    meaning: 'The path or the file does not exist, or the API is switched off (`[http] api`).',
  },
  GET_ONLY: { status: 405, meaning: 'The stream of events answers GET alone.' },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than 64 KiB.' },
  BODY_TYPE: {
    status: 415,
    meaning: 'The body is not `application/json` in UTF-8, or is compressed.',
  },
  TOO_MANY_TOKENS: {
    status: 429,
    meaning: 'Ten wrong tokens a minute came from this address. `Retry-After` says when to go on.',
  },
  TOO_MANY_STREAMS: {
    status: 429,
    meaning: 'The token has 8 open streams, or the process 64. `Retry-After` says when to go on.',
  },
  ENDING: { status: 503, meaning: 'The process is ending. Connect again.' },
} as const

/** Stable error code in an answer of the HTTP API. */
export type ApiErrorCode = keyof typeof apiErrors
