/** The part of the package that the tests use. It has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scopes: string): void;
    save(): Promise<string>;
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
    };
  }

  export interface Configuration {
    readonly clients: readonly object[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly features: Readonly<Record<string, { readonly enabled: boolean }>>;
    readonly cookies: { readonly keys: readonly string[] };
    readonly interactions: { url(context: Context, interaction: { readonly uid: string }): string };
    findAccount(context: Context, id: string): { readonly accountId: string; claims(): object };
    loadExistingGrant(context: Context): Promise<Grant>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: new (of: {
      readonly clientId: string;
      readonly accountId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
