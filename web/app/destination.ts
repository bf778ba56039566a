import type { RegisteredRouter } from '@tanstack/react-router';

type Pages = RegisteredRouter['routesByPath'];
type Values<Path extends keyof Pages> = Pages[Path]['types'];

/** A page with the parameters of its address, for lists of links. A link on its own names its page itself. */
export type Destination = {
  [Path in keyof Pages]: {
    readonly to: Path extends '/' ? '/' : `${Path}/`;
    readonly hash?: string;
    readonly search?: Values<Path>['fullSearchSchemaInput'];
  } & (keyof Values<Path>['allParams'] extends never
    ? { readonly params?: never }
    : { readonly params: Values<Path>['allParams'] });
}[keyof Pages];
