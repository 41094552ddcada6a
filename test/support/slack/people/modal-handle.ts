import { checkView } from '../blocks/check-view.ts'
import { textOf } from '../blocks/plain-text.ts'
import type { AckOutcome } from '../delivery/transport.ts'
import { Refusal } from '../limits/refusal.ts'
import { changeModal, type ModalState, openModal, toApiView } from '../modals.ts'
import { isRecord } from '../params.ts'
import type { SlackUser } from '../users.ts'
import type { World } from '../world.ts'
import { interactionBase } from './interactions.ts'
import { fieldsOf, type ModalField, stateOf } from './modal-fields.ts'

/** A modal as the person sees it who has it on the screen. */
export class ModalHandle {
  readonly #world: World
  readonly #user: SlackUser
  readonly #state: ModalState

  constructor(world: World, user: SlackUser, state: ModalState) {
    this.#world = world
    this.#user = user
    this.#state = state
  }

  get id(): string {
    return this.#state.id
  }

  get isOpen(): boolean {
    return this.#state.open
  }

  get view(): ModalState['view'] {
    return this.#state.view
  }

  /** Every version that was shown, in order. */
  get versions(): readonly ModalState['view'][] {
    return this.#state.versions
  }

  get title(): string {
    return this.#state.view.title.text
  }

  /** What its blocks say. */
  get text(): string {
    return textOf(this.#state.view.blocks)
  }

  /** What it asks, in order. */
  get fields(): readonly ModalField[] {
    return fieldsOf(this.#state.view)
  }

  /** What the app found wrong with what was submitted, by block id. */
  get errors(): Readonly<Record<string, string>> {
    return this.#state.errors
  }

  /**
   * Fills in and submits; values by label, action id or block id. What Slack's client forbids throws: a field that must be
   * filled and is not, text beyond `max_length`.
   */
  async submit(values: Readonly<Record<string, string>> = {}): Promise<AckOutcome> {
    if (!this.isOpen) throw new Error('the modal is closed')
    return await this.claimSubmit(stateOf(this.#state.view, values))
  }

  /** Submits this state, whatever the modal asks: forged, or of one that is closed. */
  async claimSubmit(state: Readonly<Record<string, unknown>>): Promise<AckOutcome> {
    const world = this.#world
    this.#state.errors = {}
    const payload = {
      type: 'view_submission',
      ...interactionBase(world, this.#user),
      trigger_id: world.triggers.add(this.#user.id),
      view: toApiView(world, this.#state, state),
      response_urls: [],
    }
    const outcome = await world.deliveries.once('interactive', payload, true)
    if (outcome.kind === 'acked') this.#follow(outcome.body)
    world.changed()
    return outcome
  }

  /** Closes it by its button or the cross; the app hears of it if it asked to. */
  async close(): Promise<AckOutcome | undefined> {
    const world = this.#world
    this.#state.open = false
    world.changed()
    if (this.#state.view.notify_on_close !== true) return undefined
    const payload = {
      type: 'view_closed',
      ...interactionBase(world, this.#user),
      view: toApiView(world, this.#state),
      is_cleared: this.#state.view.clear_on_close ?? false,
    }
    return await world.deliveries.once('interactive', payload, false)
  }

  /** Does what came with the acknowledgement: https://docs.slack.dev/surfaces/modals */
  #follow(body: unknown): void {
    const action = isRecord(body) ? body['response_action'] : undefined
    if (!isRecord(body) || action === undefined) {
      this.#state.open = false
      return
    }
    switch (action) {
      case 'errors':
        this.#showErrors(body['errors'])
        return
      case 'update':
        changeModal(this.#world, this.#state, checkView(body['view']))
        return
      case 'push':
        openModal(this.#world, this.#user.id, checkView(body['view']), this.#state)
        return
      case 'clear':
        this.#clear()
        return
      default:
        throw new Refusal('invalid_response_action')
    }
  }

  /** Errors belong to fields: others, and none at all, show people that something went wrong. */
  #showErrors(errors: unknown): void {
    const known = new Set(this.fields.map(({ blockId }) => blockId))
    const entries = isRecord(errors) ? Object.entries(errors) : []
    if (entries.length === 0 || !entries.every(([id]) => known.has(id))) {
      throw new Refusal('invalid_errors')
    }
    this.#state.errors = Object.fromEntries(entries.map(([id, words]) => [id, String(words)]))
  }

  #clear(): void {
    for (const modal of this.#world.app.modals.values()) {
      if (modal.rootId === this.#state.rootId) modal.open = false
    }
  }
}
