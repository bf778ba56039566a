import { Link } from '@tanstack/react-router';
import { m } from '../../messages/index.ts';

export function BackToSignIn() {
  return (
    <p className="text-12">
      <Link to="/accounts/login/" className="font-medium text-link">
        {m.back}
      </Link>
    </p>
  );
}
