import { type ReactNode, useState } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';
import { Chip } from './chip.tsx';
import { CopyButton, copyText } from './copy-field.tsx';
import { LeaveDialog } from './leave-dialog.tsx';

/** The secrets that a page has made, each until it is stored: another one does not take its place. */
export function useShownOnce(): {
  readonly shown: ReactNode;
  readonly show: (title: string, secret: string) => void;
} {
  const [secrets, setSecrets] = useState<readonly (readonly [title: string, secret: string])[]>([]);
  return {
    shown: secrets.map(([title, secret]) => (
      <ShownOnce
        key={secret}
        title={title}
        secret={secret}
        onStored={() => setSecrets((all) => all.filter(([, other]) => other !== secret))}
      />
    )),
    show: (title, secret) => setSecrets((all) => [[title, secret], ...all]),
  };
}

/** A secret that can be read only now. It stays until the person says that they have stored it. */
export function ShownOnce({
  title,
  secret,
  onStored,
}: {
  readonly title: string;
  readonly secret: string;
  readonly onStored: () => void;
}) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <section
      aria-label={title}
      onCopy={() => setIsCopied(true)}
      className="grid gap-2.5 rounded-card border-2 border-ink bg-surface px-4 py-3.5"
    >
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 text-13">{title}</h3>
        <Chip>{m.controls.shownOnce}</Chip>
      </div>
      <div className="flex items-center overflow-hidden rounded-control border border-line-2 bg-sunken max-md:flex-col max-md:items-stretch">
        <code className="min-w-0 flex-1 px-2.5 py-2.5 text-12 break-all">{secret}</code>
        <CopyButton
          text={secret}
          size="large"
          kind={isCopied ? 'plain' : 'primary'}
          className="rounded-none! border-0! shadow-none!"
          onCopied={() => setIsCopied(true)}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-[180px] flex-1 text-12 text-ink-3">{m.controls.fingerprint}</p>
        <Button size="small" kind={isCopied ? 'primary' : 'plain'} onClick={onStored}>
          {m.controls.stored}
        </Button>
      </div>
      <LeaveSecretDialog title={title} secret={secret} isKept={isCopied} />
    </section>
  );
}

/** Asks before a secret is lost that nobody has copied. */
export function LeaveSecretDialog({
  title,
  secret,
  isKept,
}: {
  readonly title: string;
  readonly secret: string;
  readonly isKept: boolean;
}) {
  return (
    <LeaveDialog words={m.controls.leaveSecret} isHeld={() => !isKept} onSave={() => copyText(secret)}>
      <p className="text-13 font-medium">{title}</p>
      <p className="text-13 text-ink-2">{m.controls.secretIsLost}</p>
    </LeaveDialog>
  );
}
