import './every-look.ts';
import './entrance.test.ts';
