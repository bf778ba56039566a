import type { Source } from '../kind/setting.ts';
import { formCall } from '../send/form-call.ts';
import { textOf } from '../send/reply.ts';
import type { AskProvider, ProviderVisit, WayBack } from './connection.ts';

export function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  return `${address}?${new URLSearchParams(query)}`;
}

/** The JSON value that the provider answers. Undefined if it answers nothing of the kind. */
export async function answerOf(asked: ReturnType<AskProvider>): Promise<unknown> {
  const reply = await asked;
  if ('error' in reply) return undefined;
  try {
    return JSON.parse(textOf(reply));
  } catch {
    return undefined;
  }
}

/** The fields of an object; no fields for any other value. */
export function fieldsOf(value: unknown): Source {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The objects in a list; null for any other value. */
export function itemsOf(value: unknown): readonly Source[] | null {
  return Array.isArray(value) ? value.map(fieldsOf) : null;
}

/** The app of the operator at the provider. */
interface App {
  readonly id: string | null;
  readonly secret: string | null;
}

/** The page that asks a person for their consent. https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1 */
export function consentAddress(
  page: string,
  id: string | null,
  { address, state }: WayBack,
  more: Readonly<Record<string, string>> = {},
): string {
  return withQuery(page, {
    client_id: id ?? '',
    redirect_uri: address,
    response_type: 'code',
    state,
    ...more,
  });
}

/**
 * The provider's answer to the code that the person has brought back.
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3
 */
export function exchangedCode(
  url: string,
  { id, secret }: App,
  answer: URLSearchParams,
  { http, backAddress }: Pick<ProviderVisit, 'http' | 'backAddress'>,
): Promise<unknown> {
  const form = {
    client_id: id ?? '',
    client_secret: secret ?? '',
    code: answer.get('code') ?? '',
    grant_type: 'authorization_code',
    redirect_uri: backAddress,
  };
  return answerOf(http(formCall(url, form, { Accept: 'application/json' })));
}
