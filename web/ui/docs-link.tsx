import type { ReactNode } from 'react';
import { ROOT } from '../app/api.ts';

/** The address of a page of the documentation, by its path there. */
export const docsAddress = (path = ''): string => `${ROOT}/docs/${path}`;

/** A link to the documentation, in a tab of its own, so that typed text stays. */
export function DocsLink({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  return (
    <a
      href={docsAddress(path)}
      target="_blank"
      rel="noopener"
      className="whitespace-nowrap text-link underline underline-offset-2"
    >
      {children}
    </a>
  );
}
