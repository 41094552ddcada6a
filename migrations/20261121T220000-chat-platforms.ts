import { type Kysely, sql } from 'kysely'

/** What serving chat platforms needs: who may talk, buttons, files, passing messages, and who polls. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await people(db)
  await buttons(db)
  await mail(db)
  await sql`
    create table lease (
      name text primary key,
      owner text not null,
      held_until timestamptz not null
    )`.execute(db)
}

async function people(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table caller
    add column paired_role text check (paired_role in ('user', 'approver', 'operator'))`.execute(db)
  await sql`
    create table username_pin (
      platform text not null,
      username text not null,
      caller_id text not null,
      pinned_at timestamptz not null default now(),
      primary key (platform, username)
    )`.execute(db)
  await sql`
    create table pairing_code (
      code_sha256 text primary key,
      role text not null check (role in ('user', 'approver', 'operator')),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_by text,
      used_at timestamptz
    )`.execute(db)
  await sql`
    create table pairing_try (
      id bigint generated always as identity primary key,
      caller_id text not null,
      at timestamptz not null default now()
    )`.execute(db)
  await sql`create index pairing_try_at on pairing_try (at)`.execute(db)
  await sql`
    create table stranger (
      caller_id text primary key,
      told_at timestamptz not null
    )`.execute(db)
  await sql`create index stranger_told on stranger (told_at)`.execute(db)
}

async function buttons(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table callback_token (
      token_sha256 text primary key,
      approval_id uuid not null references approval on delete cascade,
      action text not null check (action in ('approve', 'always', 'deny', 'just_deny')),
      conversation_id uuid not null references conversation on delete cascade,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index callback_token_approval on callback_token (approval_id)`.execute(db)
  await sql`
    create table attachment (
      id uuid primary key,
      conversation_id uuid not null references conversation on delete cascade,
      name text not null,
      content bytea not null check (octet_length(content) <= 20971520),
      sha256 text not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index attachment_conversation on attachment (conversation_id)`.execute(db)
  await sql`alter table approval add column reason_until timestamptz`.execute(db)
  await sql`
    create index approval_explaining on approval (reason_until)
    where reason_until is not null`.execute(db)
}

async function mail(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table conversation
    add column live_message_id text,
    add column live_turn_id uuid,
    add column live_until timestamptz`.execute(db)
  await sql`
    alter table outbox
    add column parts text not null default '[]',
    add column is_cut boolean not null default false`.execute(db)
  await sql`
    create index outbox_message on outbox (conversation_id, external_message_id)
    where external_message_id is not null`.execute(db)
  await sql`
    create index outbox_in_parts on outbox (conversation_id) where parts <> '[]'`.execute(db)
  await sql`
    create index conversation_chat on conversation (platform, split_part(external_id, '/', 1))`.execute(
    db,
  )
  await sql`alter table inbound_event add column answer text`.execute(db)
}
