//! Shapes from files: triangles of STL (binary and text), OBJ and DXF files.
//!
//! STL and OBJ are read by their crates. Of DXF, which the Standard Library uses, there are the `3DFACE` entities: pairs of lines,
//! a code and a value, where 10…13, 20…23 and 30…33 are the coordinates of three or four corners.

use std::io::Cursor;

/// Triangles of all shapes of a page at most.
pub const MAX_TRIANGLES: usize = 1_000_000;

/// Corners of triangles, nine numbers each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// x, y, z of each corner.
    pub corners: Vec<f32>,
}

/// Reads a file by what its name ends in; `None` where it is none of ours, or broken.
pub fn read(name: &str, data: &[u8]) -> Option<Mesh> {
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let corners = match extension.as_str() {
        "stl" => stl(data)?,
        "obj" => obj(data)?,
        "dxf" => dxf(&String::from_utf8_lossy(data)),
        _ => return None,
    };
    let whole =
        !corners.is_empty() && corners.len() <= 9 * MAX_TRIANGLES && corners.iter().all(|x| x.is_finite());
    whole.then_some(Mesh { corners })
}

/// Is a shape of this kind one from a file?
pub fn is_file(kind: &str) -> bool {
    let end = kind.rsplit('.').next().unwrap_or_default();
    kind.contains('.') && ["stl", "obj", "dxf"].iter().any(|e| end.eq_ignore_ascii_case(e))
}

fn stl(data: &[u8]) -> Option<Vec<f32>> {
    let mesh = stl_io::read_stl(&mut Cursor::new(data)).ok()?;
    let mut out = Vec::with_capacity(9 * mesh.faces.len());
    for face in &mesh.faces {
        for &corner in &face.vertices {
            out.extend(mesh.vertices.get(corner)?.0);
        }
    }
    Some(out)
}

fn obj(data: &[u8]) -> Option<Vec<f32>> {
    let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
    let no_material = |_: &std::path::Path| tobj::MTLLoadResult::Ok(Default::default());
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(data), &options, no_material).ok()?;
    let mut out = Vec::new();
    for model in &models {
        for &corner in &model.mesh.indices {
            let at = 3 * corner as usize;
            out.extend(model.mesh.positions.get(at..at + 3)?);
        }
    }
    out.truncate(out.len() / 9 * 9);
    Some(out)
}

fn dxf(text: &str) -> Vec<f32> {
    let mut out = Vec::new();
    let mut face: Option<[[f32; 3]; 4]> = None;
    let mut lines = text.lines().map(str::trim);
    while let (Some(code), Some(value)) = (lines.next(), lines.next()) {
        let Ok(code) = code.parse::<u32>() else { break };
        match (code, &mut face) {
            (0, _) => {
                finish(face, &mut out);
                face = (value == "3DFACE").then_some([[f32::NAN; 3]; 4]);
            }
            (10..=13 | 20..=23 | 30..=33, Some(face)) => {
                face[code as usize % 10][code as usize / 10 - 1] = value.parse().unwrap_or(f32::NAN);
            }
            _ => {}
        }
    }
    finish(face, &mut out);
    out
}

/// A face of four corners is two triangles; of three, the last corner is there twice.
fn finish(face: Option<[[f32; 3]; 4]>, out: &mut Vec<f32>) {
    let Some([a, b, c, d]) = face else { return };
    let known = |p: &[f32; 3]| p.iter().all(|x| x.is_finite());
    if ![a, b, c].iter().all(known) {
        return;
    }
    let mut triangle = |corners: [[f32; 3]; 3]| {
        if corners[0] != corners[1] && corners[1] != corners[2] && corners[0] != corners[2] {
            out.extend(corners.iter().flatten());
        }
    };
    triangle([a, b, c]);
    if known(&d) {
        triangle([a, c, d]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area of all triangles.
    fn area(mesh: &Mesh) -> f32 {
        let triangle = |t: &[f32]| {
            let edge = |k: usize| [t[k] - t[0], t[k + 1] - t[1], t[k + 2] - t[2]];
            let (u, v) = (edge(3), edge(6));
            let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            n.iter().map(|x| x * x).sum::<f32>().sqrt()
        };
        mesh.corners.chunks(9).map(triangle).sum()
    }

    #[test]
    fn a_square_is_one_in_every_format() {
        let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
        let stl = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n\
            facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
        let corner = |k: usize, x: f32, y: f32| format!("1{k}\n{x}\n2{k}\n{y}\n3{k}\n0.0\n");
        let corners: String = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .iter()
            .enumerate()
            .map(|(k, &(x, y))| corner(k, x, y))
            .collect();
        let dxf =
            format!("0\nSECTION\n2\nENTITIES\n0\n3DFACE\n8\nlayer\n62\n251\n{corners}0\nENDSEC\n0\nEOF\n");
        for (name, text) in [("a.obj", obj), ("b.STL", stl), ("c.dxf", dxf.as_str())] {
            let mesh = read(name, text.as_bytes()).unwrap_or_default();
            assert_eq!(mesh.corners.len(), 18, "{name}");
            assert!((area(&mesh) - 2.0).abs() < 1e-6, "{name}: {}", area(&mesh));
        }
    }

    #[test]
    fn what_is_broken_is_nothing() {
        let cut = [80, 0, 255, 255, 255, 255, 1, 2, 3];
        for name in ["a.obj", "a.stl", "a.dxf", "a.step", "a"] {
            assert_eq!(read(name, b"nonsense\n\0\xff"), None, "{name}");
            assert_eq!(read(name, &cut), None, "{name}");
            assert_eq!(read(name, b""), None, "{name}");
        }
        assert!(is_file("modelica://A/b.DXF") && !is_file("box") && !is_file("1"));
    }
}
