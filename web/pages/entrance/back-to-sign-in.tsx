import { Link } from '@tanstack/react-router';
import { m } from '../../messages/index.ts';

/** `onBack` is for parts of the page for signing in: a link to the same page changes nothing. */
export function BackToSignIn({ onBack }: { readonly onBack?: () => void }) {
  return (
    <p className="text-12">
      <Link to="/accounts/login/" className="font-medium text-link" onClick={onBack}>
        {m.back}
      </Link>
    </p>
  );
}
