/**
 * What a provider is: one literal that says which channels it carries, what it is set up with, what a call to it needs, and what its webhook means.
 * It decides at once from what it is given; the activity of the same name makes the calls.
 */
import { z } from 'zod'

import type { Issue } from '#platform/errors.ts'
import type { RawRequest } from '#platform/operation.ts'

import type { VendorChannel } from '../channels/channels.schema.ts'
import type { HandsetPlan } from '../handsets/handsets.store.ts'
import type { Keyword } from '../messaging.rules.ts'
import type { FailureReason, MessageStatus } from '../messaging.schema.ts'
import { messagesPerSecond } from './settings.schema.ts'

/** A message that is to be handed over. */
export interface Due {
  readonly tenantId: number
  readonly messageId: number
  readonly channelId: number
  readonly channel: VendorChannel
  readonly to: string
  /** The channel's webhook, with our id of the message, so that a report finds it even when the answer to our call was lost. */
  readonly callbackUrl: string
  /** Of PUBLIC_URL. */
  readonly publicHost: string
  /** Empty unless the provider `isThreaded`. */
  readonly thread: Thread
  /** Of the address, the newest first; empty unless the provider `needsDevices`. */
  readonly devices: readonly Device[]
}

/** What people linked to themselves: what a call to it needs beside its address. An account has one, a person a browser or more. */
export interface Device {
  /** Empty for an account. */
  readonly device: string
  readonly details: Readonly<Record<string, string>>
}

export interface Thread {
  readonly subject: string
  /** The vendor's ids of what was said before, the oldest first. */
  readonly earlier: readonly string[]
  /** Where answers come in that name the conversation. */
  readonly replyAddress: (domain: string) => string
}

/** What a message is handed over with: settings, secrets, and what the provider adds. */
export interface Way {
  readonly provider: string
}

export interface VendorRequest {
  readonly raw: RawRequest
  /** The whole address that the vendor called, by PUBLIC_URL: what a proxy made of scheme and host is not what was signed. */
  readonly url: string
  readonly channel: VendorChannel
  /** Our id in the address of a report. */
  readonly messageId: number | undefined
  /** Epoch, ms. */
  readonly now: number
  /** Of a token that whom the provider names in `signedBy` has signed; undefined for a call without one. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** Whose tokens a vendor's calls bear. */
export interface TokenSigner {
  readonly keysUrl: string
  readonly issuer: string
  readonly audience: string
}

/** What the vendor is answered. */
export interface Answer {
  readonly body: string
  readonly mimeType: string
}

export interface VendorMessage {
  readonly kind: 'message'
  /** The same delivery has the same one. */
  readonly receiptKey: string
  readonly providerId: string
  /** As addresses of the channel are kept. */
  readonly from: string
  readonly to: string | null
  /** Other addresses that it went to: one of them may name a conversation. */
  readonly addressees?: readonly string[]
  readonly text: string
  /** What a tapped button carries. */
  readonly payload?: string | undefined
  readonly subject?: string | undefined
  /** The vendor's ids of earlier messages that it answers. */
  readonly inReplyTo?: readonly string[]
  readonly media?: readonly { readonly url: string; readonly mimeType: string }[]
  /** What the vendor took the message for and has answered itself. */
  readonly keyword?: Keyword | undefined
  /** What calls to its sender need beside the address. */
  readonly details?: Readonly<Record<string, string>> | undefined
  readonly answer?: Answer | undefined
}

/** The vendor lets nothing through to an address any more, since its owner said so. */
export interface VendorStop {
  readonly kind: 'stopped'
  readonly receiptKey: string
  readonly address: string
}

export interface VendorStatus {
  readonly kind: 'status'
  readonly receiptKey: string
  readonly providerId: string
  readonly messageId?: number | undefined
  readonly status: MessageStatus
  readonly reason?: FailureReason | undefined
  readonly vendorCode?: string | undefined
}

/** What a person says to a file that was offered to them. */
export interface VendorConsent {
  readonly kind: 'consent'
  readonly receiptKey: string
  /** Whose answer it is. */
  readonly from: string
  /** Which file of which message, as the offer named them. */
  readonly messageId: number
  readonly assetKey: string
  /** Where the file goes, as the vendor says it; undefined where they do not want it. */
  readonly upload: Readonly<Record<string, string>> | undefined
}

/** Of a handset that stands in for a person's: what it shall do with the next message. */
export interface Planned {
  readonly kind: 'plan'
  readonly to: string
  readonly plan: HandsetPlan
}

/**
 * `forged`: not the vendor's. `unreadable`: the vendor's, and nothing that we take; the sentence says what we do. `ignored`: the same from a vendor that would
 * send it again for ever.
 */
export type Reading =
  | VendorMessage
  | VendorStatus
  | VendorStop
  | VendorConsent
  | Planned
  | { readonly kind: 'forged' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'ignored'; readonly answer?: Answer }

/** Where files of inbound messages lie: at this origin with this authorization, elsewhere without. */
export interface FilesAccess {
  readonly origin: string
  /** Absent where an address is its own credential. */
  readonly authorization?: string
  /** For what names a file and is no address: whom to ask for the address, and how to read the answer. */
  readonly locate?: (named: string) => { readonly ask: string; readonly read: (answer: unknown) => string | undefined } | undefined
}

/** What a person needs to link an account or a browser. */
export interface Invitation {
  /** Opens the vendor's app with the code in it. */
  readonly url?: string
  /** What a browser subscribes with. */
  readonly publicKey?: string
}

interface Setup<S extends z.ZodObject, K extends z.ZodObject> {
  readonly settings: z.output<S>
  readonly secrets: z.output<K>
}

interface Definition<N extends string, S extends z.ZodObject, K extends z.ZodObject, W> {
  readonly name: N
  readonly carries: readonly VendorChannel[]
  readonly settings: S
  readonly secrets: K
  /** No vendor stands behind it: what it carries is shown on a page, and it gives way to a provider that has one. */
  readonly isStandIn?: true
  /** How a channel of it is set up, for the documents. */
  readonly example?: {
    readonly title: string
    readonly channel: VendorChannel
    readonly internalName: string
    readonly settings: z.input<S> & Readonly<Record<string, string | number | boolean>>
    readonly secrets: z.input<K> & Readonly<Record<string, string>>
  }
  /** What is wrong with settings that the schema takes; paths from `$`. */
  readonly findIssues?: (channel: VendorChannel, settings: z.output<S>) => Issue[]
  /** Where calls go by the settings. */
  readonly goesTo?: (settings: z.output<S>) => { readonly host: string; readonly origin: string } | undefined
  /** Secrets that stay here, and so need not be given again for another host. */
  readonly stayingSecrets?: readonly (keyof z.output<K> & string)[]
  /** Its messages name those before them. */
  readonly isThreaded?: true
  /** A call needs more than the address. */
  readonly needsDevices?: true
  readonly invite?: (settings: z.output<S>, code: string) => Invitation
  readonly way: (setup: Setup<S, K>, due: Due) => W
  /** Where calls bear a token instead of a signature of the body: its keys are fetched before anything is read. */
  readonly signedBy?: (settings: z.output<S>) => TokenSigner
  /** `setup` is undefined where the secrets do not open or do not suffice. */
  readonly read: (setup: Setup<S, K> | undefined, request: VendorRequest) => Reading
  /** What the vendor is answered, with a text for the sender where there is one. Where it is absent, a text for the sender is a message of its own. */
  readonly answer?: (text: string | undefined) => Answer
  readonly filesAt?: (setup: Setup<S, K>) => FilesAccess
}

/** As a channel's row holds it. */
interface StoredSetup {
  readonly settings: unknown
  /** Undefined where they do not open. */
  readonly secrets: unknown
}

/** A field of settings or secrets as a person fills it in. */
export interface SetupField {
  readonly name: string
  readonly isRequired: boolean
}

interface SetupExample {
  readonly title: string
  readonly channel: VendorChannel
  readonly internalName: string
  readonly settings: Record<string, string | number | boolean>
  readonly secrets: Record<string, string>
}

/** A provider as everything else knows it: by what it does, whatever it is set up with. */
export interface Provider<N extends string = string, W extends object = object> {
  readonly name: N
  readonly carries: readonly VendorChannel[]
  readonly settings: z.ZodObject
  readonly secrets: z.ZodObject
  readonly settingFields: readonly SetupField[]
  readonly secretFields: readonly SetupField[]
  readonly example: SetupExample | undefined
  readonly isThreaded: boolean
  readonly needsDevices: boolean
  readonly isStandIn: boolean
  readonly stayingSecrets: readonly string[]
  findIssues(channel: VendorChannel, settings: unknown): Issue[]
  goesTo(settings: unknown): { readonly host: string; readonly origin: string } | undefined
  /** Undefined where settings or secrets do not suffice. */
  way(stored: StoredSetup, due: Due): (W & { readonly provider: N }) | undefined
  signedBy(settings: unknown): TokenSigner | undefined
  read(stored: StoredSetup, request: VendorRequest): Reading
  readonly answer: ((text: string | undefined) => Answer) | undefined
  invite(settings: unknown, code: string): Invitation
  filesAt(stored: StoredSetup): FilesAccess | undefined
}

const fieldsOf = (schema: z.ZodObject): SetupField[] =>
  Object.entries(schema.shape).map(([name, field]) => ({ name, isRequired: !(field instanceof z.ZodOptional) }))

export function defineProvider<N extends string, S extends z.ZodObject, K extends z.ZodObject, W extends object>(
  made: Definition<N, S, K, W>,
): Provider<N, W> {
  const ofAll = made.settings.extend({ messagesPerSecond })
  // The provider's own settings with one more beside them.
  const readSettings = (given: unknown) => ofAll.safeParse(given) as z.ZodSafeParseResult<z.output<S>>
  const setupOf = (stored: StoredSetup): Setup<S, K> | undefined => {
    const settings = readSettings(stored.settings)
    const secrets = made.secrets.safeParse(stored.secrets)
    return settings.success && secrets.success ? { settings: settings.data, secrets: secrets.data } : undefined
  }
  /** What `use` makes of settings that the schema takes. */
  const withSettings = <T>(given: unknown, use: ((settings: z.output<S>) => T) | undefined): T | undefined => {
    const settings = readSettings(given)
    return settings.success ? use?.(settings.data) : undefined
  }
  return {
    name: made.name,
    carries: made.carries,
    settings: ofAll,
    secrets: made.secrets,
    settingFields: fieldsOf(made.settings),
    secretFields: fieldsOf(made.secrets),
    example: made.example,
    isThreaded: made.isThreaded === true,
    needsDevices: made.needsDevices === true,
    isStandIn: made.isStandIn === true,
    stayingSecrets: made.stayingSecrets ?? [],
    findIssues: (channel, given) => withSettings(given, (settings) => made.findIssues?.(channel, settings)) ?? [],
    goesTo: (given) => withSettings(given, made.goesTo),
    way(stored, due) {
      const setup = setupOf(stored)
      return setup && { provider: made.name, ...made.way(setup, due) }
    },
    signedBy: (given) => withSettings(given, made.signedBy),
    read: (stored, request) => made.read(setupOf(stored), request),
    answer: made.answer,
    invite: (given, code) => withSettings(given, (settings) => made.invite?.(settings, code)) ?? {},
    filesAt(stored) {
      const setup = setupOf(stored)
      return setup && made.filesAt?.(setup)
    },
  }
}
