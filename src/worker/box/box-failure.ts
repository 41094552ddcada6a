/** No box was available for a call. The message is for the caller. */
export class BoxFailure extends Error {
  override readonly name = 'BoxFailure'
}
