//! dump
use kausal_codegen::*; use kausal_symbolic::*; use kausal_translate::program::Assign;
fn main(){
 let mut pool=Pool::new();
 let v:Vec<_>=(0..40).map(|i|pool.var(VarId(i))).collect();
 let mut a=vec![];
 for i in 0..4usize { let c=pool.constant(3.7+i as f64); let p1=pool.op(Op::Mul,&[c,v[i],v[i+1]]); let q=pool.op(Op::Div,&[v[i+2],v[i+3]]); let s=pool.sub(p1,q); let n=pool.neg(s);
  let m=pool.min(n,v[i]); let l=pool.less(v[i],c); let e=pool.if_then_else(l,m,s); let sn=pool.apply(Op::Sin,e);
  a.push(Assign{variable:VarId(50+i as u32),value:sn,equation:None}); }
 let mut c=Compiler::new(&pool,Backend::Jit); c.add(&a).unwrap(); c.finish().unwrap();
}
