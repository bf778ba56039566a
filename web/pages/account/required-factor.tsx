import { useSuspenseQuery } from '@tanstack/react-query';
import { Interruptions } from '../../app/interruptions.tsx';
import { open } from '../../app/next.ts';
import { nextPath } from '../../app/next-path.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Logo } from '../../ui/logo.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Toasts } from '../../ui/toasts.tsx';
import { SecondFactors } from './security.tsx';

/** Shown instead of all pages to people without a second factor, if everybody needs one. */
export function RequiredFactor() {
  const { data: session } = useSuspenseQuery(query.signedIn());
  const { data: factors } = useSuspenseQuery(query.secondFactors());
  return (
    <main className="mx-auto grid max-w-[760px] gap-6 px-4 py-8">
      <title>{m.title(m.account.heading)}</title>
      <Logo />
      <PageHead title={m.account.guard.required} lead={session.account.email} />
      <SecondFactors />
      {factors.count > 0 && (
        <div>
          <Button kind="primary" size="large" onClick={() => open(nextPath(location))}>
            {m.secondFactor.submit}
          </Button>
        </div>
      )}
      <Toasts />
      <Interruptions />
    </main>
  );
}
