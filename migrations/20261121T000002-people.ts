import { type Kysely, sql } from 'kysely'

/** People who may talk to the product, their roles and linked accounts, pairing codes and API tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [
    caller,
    callerLink,
    usernamePin,
    platformTeam,
    pairingCode,
    pairingTry,
    apiToken,
    stranger,
  ]) {
    await statements.execute(db)
  }
}

const caller = sql`
  create table caller (
    id text primary key,
    name text not null,
    role text not null check (role in ('user', 'approver', 'operator')),
    created_at timestamptz not null default now(),
    paired_role text check (paired_role in ('user', 'approver', 'operator')),
    private_conversation_id uuid references conversation on delete set null,
    away_until timestamptz
  )`

const callerLink = sql`
  create table caller_link (
    caller_id text primary key references caller on delete cascade,
    person uuid not null,
    linked_by text not null,
    linked_at timestamptz not null default now()
  );
  create index caller_link_person on caller_link (person)`

const usernamePin = sql`
  create table username_pin (
    platform text not null,
    username text not null,
    caller_id text not null,
    pinned_at timestamptz not null default now(),
    primary key (platform, username)
  )`

const platformTeam = sql`
  create table platform_team (
    platform text primary key,
    team text not null,
    since timestamptz not null default now()
  )`

const pairingCode = sql`
  create table pairing_code (
    code_sha256 text primary key,
    role text check (role in ('user', 'approver', 'operator')),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_by text,
    used_at timestamptz,
    links text references caller on delete cascade,
    asked text,
    constraint pairing_code_purpose check ((role is null) <> (links is null))
  )`

const pairingTry = sql`
  create table pairing_try (
    id bigint generated always as identity primary key,
    caller_id text not null,
    at timestamptz not null default now()
  );
  create index pairing_try_at on pairing_try (at)`

const apiToken = sql`
  create table api_token (
    token_sha256 text primary key,
    caller_id text not null references caller on delete cascade unique,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`

const stranger = sql`
  create table stranger (
    caller_id text primary key,
    told_at timestamptz not null
  );
  create index stranger_told on stranger (told_at)`
