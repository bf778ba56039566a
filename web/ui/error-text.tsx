import { OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';

/** An error text, if there is one. It is announced when it appears. */
export function ErrorText({ id, children }: { readonly id?: string; readonly children: ReactNode }) {
  if (children === null) return null;
  return (
    <p id={id} role="alert" className="flex items-start gap-1.5 text-12 font-medium text-down">
      <OctagonX className="mt-[1px] size-3.5 shrink-0 text-down-g" />
      {children}
    </p>
  );
}

/** Why something was refused, if it was. */
export function Refusal({ error }: { readonly error: Error | null }) {
  return <ErrorText>{error?.message ?? null}</ErrorText>;
}
