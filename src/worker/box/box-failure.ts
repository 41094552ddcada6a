/** No box could be had for a call; the message is for whoever made the call. */
export class BoxFailure extends Error {
  override readonly name = 'BoxFailure'
}
