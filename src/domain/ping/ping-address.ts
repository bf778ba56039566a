export const ADDRESS_FORMS = ['uuid', 'slug'] as const;

/** The form of the ping addresses that a project shows: with UUIDs of checks, or with its ping key and their slugs. */
export type AddressForm = (typeof ADDRESS_FORMS)[number];

/** The facts that make the ping addresses of a project. */
export interface Addressing {
  readonly form: AddressForm;
  /** Null if the project has none, or nobody can read it any more. */
  readonly pingKey: string | null;
}

/** The ping address of a check, as its project shows it. */
export interface PingAddress {
  readonly form: AddressForm;
  /** The path after the common beginning of all ping addresses. Null if there is no such address. */
  readonly path: string | null;
  /** Why it does not work, if it does not. With the slug of several checks no check is pinged. */
  readonly problem: 'no_ping_key' | 'no_slug' | 'ambiguous_slug' | null;
}

/** `isUnique`: no other check of the project has the slug. */
export function pingAddress(
  { uuid, slug }: { readonly uuid: string; readonly slug: string },
  { form, pingKey }: Addressing,
  isUnique: boolean,
): PingAddress {
  if (form === 'uuid') return { form, path: uuid, problem: null };
  if (pingKey === null) return { form, path: null, problem: 'no_ping_key' };
  if (slug === '') return { form, path: null, problem: 'no_slug' };
  return { form, path: `${pingKey}/${slug}`, problem: isUnique ? null : 'ambiguous_slug' };
}
